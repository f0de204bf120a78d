"""Secrets are masked where they stand, and nothing else is touched."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.nouns.turn import Mask
from omoide.text import secrets
from omoide.text.secrets import (
    ALL_KINDS,
    MAIL,
    SECRET_KINDS,
    SecretSpan,
    find_secrets,
    has_secret,
    mask_secrets,
)
from omoide.text.secrets.patterns import BLOCKS, CARD, COMMANDS, SHAPES
from tests.growth import is_linear

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

# Bits that secrets and their surroundings are made of, so that random texts hold some.
PIECES = (
    *("\x1f", "00000A"),
    *(
        "password",
        "Passwort",
        "密码",
        "パスワード",
        "пароль",
        "كلمة المرور",
        "key",
        "api_key",
        "token",
        "secret",
        "pin",
        "code",
    ),
    *(
        "seed phrase",
        "login",
        " is ",
        "是",
        "は",
        ": ",
        "=",
        " = ",
        "'s ",
        " to ",
        " the ",
        "\n",
        " ",
        ".",
        ",",
        "!",
        '"',
        "'",
        "`",
    ),
    *(
        "「",
        "」",
        "(",
        ")",
        "[",
        "]",
        "*",
        "**",
        "|",
        "hunter2",
        "Tr0ub4dor&3",
        "4821",
        "492817",
        "4111 1111 1111 1111",
        TOKEN,
    ),
    *(
        "eyJhbGciOi.eyJzdWIiOi.abc",
        "sk-" + "a1" * 12,
        "AKIA" + "Q2" * 8,
        "AKIA",
        "a1b2c3d4e5f6a7b8c9d0",
        "swordfish",
        "word",
    ),
    *(
        "[secret: password]",
        "[secret: ",
        "https://u:pw9@h/",
        "://",
        "bearer ",
        "-----END",
        "-----BEGIN PRIVATE KEY-----",
    ),
    *("\ud800", "\x00", "\uffff", "İ", "ß", "Σ", "🔑", "é", "-", "_", "x", "9"),
)
texts = st.text(max_size=80) | st.lists(
    st.sampled_from(PIECES) | st.text(max_size=4), max_size=16
).map("".join)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("密码是hunter2。", "密码是[secret: password]。"),
        ("パスワードはhunter2です", "パスワードは[secret: password]です"),
        ("비밀번호는 hunter2예요", "비밀번호는 [secret: password]예요"),
        (
            "мой пароль от почты — hunter2, запомни",
            "мой пароль от почты — [secret: password], запомни",
        ),
        ("كلمة المرور هي hunter2.", "كلمة المرور هي [secret: password]."),
        ("मेरा पासवर्ड hunter2 है", "मेरा पासवर्ड [secret: password] है"),
        ("Şifrem hunter2'dir.", "Şifrem [secret: password]'dir."),
        (
            "Das WLAN-Passwort lautet hunter2, bitte merken.",
            "Das WLAN-Passwort lautet [secret: wifi-password], bitte merken.",
        ),
        (
            "hunter2 is my password, and I like tea.",
            "[secret: password] is my password, and I like tea.",
        ),
        ("My PIN is 4821.", "My PIN is [secret: pin]."),
        ("Your verification code is 492817.", "Your verification code is [secret: one-time-code]."),
        (f"token: {TOKEN}, ok?", "token: [secret: github-token], ok?"),
        ("postgres://app:s3cr3tpw@db:5432/x", "postgres://app:[secret: url-password]@db:5432/x"),
        ("Card 4111 1111 1111 1111, exp 12/27", "Card [secret: card-number], exp 12/27"),
        (
            "I changed my password to hunter2 yesterday.",
            "I changed my password to [secret: password] yesterday.",
        ),
        ("смени пароль на hunter2, пожалуйста", "смени пароль на [secret: password], пожалуйста"),
        ("我用hunter2当密码", "我用[secret: password]当密码"),
        (
            "The root password on db-01 is hunter2.",
            "The root password on db-01 is [secret: password].",
        ),
        ("كلمة مرور الراوتر hunter2", "كلمة مرور الراوتر [secret: password]"),
        ("x = '9f8a7b6c5d4e3f2a9f8a'  # client secret", "x = '[secret: secret]'  # client secret"),
        (
            "<password type='plain'>hunter2</password>",
            "<password type='plain'>[secret: password]</password>",
        ),
        ("512893 is your Example code", "[secret: one-time-code] is your Example code"),
        ("DB_PASSWORD=hunter2\nDB_HOST=db", "DB_PASSWORD=[secret: password]\nDB_HOST=db"),
        ('{"api_key": "9f8a7b6c5d4e3f2a"}', '{"api_key": "[secret: api-key]"}'),
    ],
)
def test_the_secret_alone_is_replaced(text: str, masked: str) -> None:
    """A mark stands where the secret stood; the sentence around it, in any script, is untouched."""
    assert mask_secrets(text).text == masked


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password.",
        "My password manager is 1Password.",
        "The password policy requires 12 characters.",
        "The secret is to stir slowly.",
        "A token of appreciation.",
        "password = get_password()",
        'api_key=os.environ["KEY"]',
        "API_KEY=YOUR_API_KEY",
        "key: sk-...",
        "token=<token>",
        "password: xxxxxxxx",
        "The passport number is C01X00T47.",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "ISBN 978-3-16-148410-0",
        "request 550e8400-e29b-41d4-a716-446655440000",
        "IBAN DE89 3704 0044 0532 0130 00",
        "hash = generate_password_hash(password, method='sha256')",
        "The password for user42 was reset on server01.",
        "OAuth2 is better than a password.",
        "The code is 1200 lines long.",
        "PIN codes since 1990",
        "пароль для user42 сброшен",
        "密码太短了。",
        "パスワードを忘れました。",
        "PIN code 110049, New Delhi",
        "golang.org/x/sys h1:AS5ZgTj7HRy1dbF7Vj18wU9DOdqZbH8OfgdkIFHomLs=",
        "- name: LOG_LEVEL\n  value: debug",
        "the boarding-pass is 4B",
        "const publicKey = 'a8f7d9b1c3e5f7a9b2d4a8f7'",
        "key: AbstractSingletonProxyFactoryBean",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    """Talk about secrets, code, stand-ins, ids and personal numbers are kept as they are."""
    assert mask_secrets(text).text == text
    assert not has_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "- name: SMTP_PASSWORD\n  value: {}",
        "- name: JWT_SECRET\n  value: {}",
        "const mysqlRootPassword = '{}';",
        '{{"redis_pass": "{}"}}',
        "app --redis-pass {} --verbose",
        "<redisPass>{}</redisPass>",
        '<add key="REDIS_PASS" value="{}" />',
        "| REDIS_PASS | {} |",
        'variable "db_password" {{\n  default = "{}"\n}}',
        "define('DB_PASSWORD', '{}');",
        "db.internal:5432:app:app:{}",
        "net use Z: \\\\srv\\share {} /user:ana",
        "7z x a.7z -p{}",
        "keytool -storepass {} -list",
        'network={{\n ssid="x"\n psk="{}"\n}}',
    ],
)
@pytest.mark.parametrize(
    "secret", ["harbor9063x", "Canyon7856&q", "e7eea67c43f8769c9eedd64cce2a2adb4ca556b9"]
)
def test_settings_are_understood_in_any_form(text: str, secret: str) -> None:
    """In YAML, code, JSON, XML, flags and tables, over a line's end, with a name that ends in pass
    or has another in it.
    """
    assert secret not in mask_secrets(text.format(secret)).text


def test_a_key_of_letters_alone_is_a_key() -> None:
    """Drawn at random, one in a thousand has no digit; no word and no identifier mixes its letters
    like that.
    """
    assert "uMDxGrlp" not in mask_secrets("export DATADOG_API_KEY='uMDxGrlpMkLPZyfIaVtQMdCu'").text
    assert (
        "MXxXxv8"
        not in mask_secrets(
            "see hvs.I9dviFYMyvbn9VLzEneKBUNojRzQAD7Ar5hWp5PWNDOgp4MXxXxv8jcw3nEc2lQy"
        ).text
    )


def test_a_mask_names_the_kind_and_its_place_in_the_masked_text() -> None:
    """The masks of a text point at its marks, in order."""
    masked = mask_secrets(f"PIN: 4821; use {TOKEN}")

    assert masked.text == "PIN: [secret: pin]; use [secret: github-token]"
    assert masked.masks == (
        Mask(kind="pin", start=5, end=18),
        Mask(kind="github-token", start=24, end=46),
    )
    assert [masked.text[mask.start : mask.end] for mask in masked.masks] == [
        "[secret: pin]",
        "[secret: github-token]",
    ]


def test_findings_stand_in_the_original_text() -> None:
    """A scan says where each secret stands, without showing it."""
    text = f"PIN: 4821; use {TOKEN}"

    assert find_secrets(text) == [
        SecretSpan("pin", 5, 9),
        SecretSpan("github-token", 15, 15 + len(TOKEN)),
    ]


def test_a_private_key_is_masked_from_begin_to_end() -> None:
    """The whole block goes, over all its lines; what stands before and after stays."""
    key = (
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\nAAAABG5vbmUAAAAE\n-----END"
        " OPENSSH PRIVATE KEY-----"
    )

    assert (
        mask_secrets(f"Keep this:\n{key}\nThanks").text
        == "Keep this:\n[secret: private-key]\nThanks"
    )


def test_a_repeated_password_is_masked_everywhere() -> None:
    """Who says a password twice names it once: the second time goes as well."""
    assert (
        "hunter2x"
        not in mask_secrets("The password is hunter2x. I typed hunter2x and it failed.").text
    )


def test_a_wallets_words_are_masked_together() -> None:
    """All twelve words of a recovery phrase go, and only they."""
    words = "legal winner thank year wave sausage worth useful legal winner thank yellow"

    assert (
        mask_secrets(f"My seed phrase is {words}. Keep it safe.").text
        == "My seed phrase is [secret: seed-phrase]. Keep it safe."
    )


@pytest.mark.covers("SO-82")
def test_mail_addresses_are_masked_on_request() -> None:
    """A mail address is no secret and stays; whoever asks for its kind has it masked too, beside
    any script.
    """
    text = "邮箱是bob.k+1@example.org，密码是hunter2。"

    assert mask_secrets(text).text == "邮箱是bob.k+1@example.org，密码是[secret: password]。"
    assert (
        mask_secrets(text, kinds=ALL_KINDS).text
        == "邮箱是[secret: mail]，密码是[secret: password]。"
    )
    assert (
        mask_secrets(text, kinds=frozenset({MAIL})).text == "邮箱是[secret: mail]，密码是hunter2。"
    )


def test_there_are_more_than_sixty_kinds() -> None:
    """A mark tells apart more than sixty kinds of secret."""
    assert len(SECRET_KINDS) >= 60
    assert MAIL not in SECRET_KINDS


@given(texts)
def test_masking_twice_changes_nothing_more(text: str) -> None:
    """Whatever the text, the masked text holds no secret."""
    once = mask_secrets(text)

    assert mask_secrets(once.text).text == once.text


@given(texts)
def test_everything_but_the_secrets_stays(text: str) -> None:
    """Between the marks stands, in order and whole, what stood between the secrets; no string makes
    it fail.
    """
    findings, masked = find_secrets(text), mask_secrets(text)
    between = [
        text[a.end : b.start]
        for a, b in zip(
            [SecretSpan("", 0, 0), *findings],
            [*findings, SecretSpan("", len(text), 0)],
            strict=True,
        )
    ]
    marks = [f"[secret: {finding.kind}]" for finding in findings] + [""]

    assert masked.text == "".join(part + mark for part, mark in zip(between, marks, strict=True))
    assert [masked.text[mask.start : mask.end] for mask in masked.masks] == marks[:-1]


@given(texts)
def test_findings_are_in_order_and_apart(text: str) -> None:
    """Findings hold at least a character each and do not overlap."""
    ends = [0]
    for finding in find_secrets(text):
        assert ends[-1] <= finding.start < finding.end <= len(text)
        ends.append(finding.end)


HOSTILE = 100_000  # characters


def fill(unit: str, size: int = HOSTILE) -> str:
    """The unit again and again, to that many characters."""
    return (unit * (size // len(unit) + 1))[:size]


UNITS = (
    *(
        "a",
        "A",
        "0",
        "a1",
        "aB3",
        "-",
        "_a",
        "a.",
        "/",
        "a/",
        "=",
        "@",
        "a@a.",
        " ",
        "é",
        "密",
        '"',
        "'",
        "(",
        "1 ",
        "&a=",
        "://",
        "://a:",
    ),
    *("eyJ", "\n", "$", "$2b$"),
)
WRITTEN = (
    *(pattern for _, pattern in SHAPES),
    *(pattern for *_, pattern in BLOCKS),
    *(pattern for _, pattern in COMMANDS),
    CARD,
)
TABLES = tuple(re.compile(pattern, re.ASCII | re.IGNORECASE) for pattern in WRITTEN)


@pytest.mark.parametrize("unit", UNITS)
def test_every_pattern_is_linear_on_hostile_text(unit: str) -> None:
    """Each pattern of the tables, and the whole search, passes 100,000 hostile characters in time
    that grows as they do.
    """
    text = fill(unit)
    assert [pattern.pattern for pattern in TABLES if not is_linear(pattern.search, text)] == []
    assert is_linear(find_secrets, text)


VALUE = 400  # characters
PATTERNS = tuple(
    pattern
    for module in iter_modules(secrets.__path__, f"{secrets.__name__}.")
    for pattern in vars(import_module(module.name)).values()
    if isinstance(pattern, re.Pattern)
)


@pytest.mark.parametrize("unit", [*UNITS, "A0", "Ab", "0-", "00000000-0000-7000.c54a"])
def test_no_pattern_tries_all_ways_to_cut_a_value(unit: str) -> None:
    """What looks at one value ends, also where the last sign of it does not fit."""
    text = fill(unit, VALUE) + "!"

    assert len(PATTERNS) > 50
    assert [one.pattern for one in PATTERNS if not is_linear(one.match, text)] == []


def test_the_beginnings_of_secrets_are_linear_too() -> None:
    """The beginning of every pattern, again and again, is passed in time that grows as it does."""
    beginnings = (
        {trigger for trigger, _, _ in BLOCKS}
        | {f"{tool} " for tool, _ in COMMANDS}
        | {"-----BEGIN PRIVATE KEY-----", "4111 "}
    )
    beginnings |= {
        begin
        for _, pattern in SHAPES
        if (begin := pattern[:4]).replace("-", "").replace("_", "").isalnum()
    }
    texts = [fill(begin) for begin in sorted(beginnings)]

    assert len(texts) > 80
    assert [text[:32] for text in texts if not is_linear(find_secrets, text)] == []


CROWD = 40_000  # characters
CROWDED = (
    *(
        "password is ",
        "the password to my server01 is ",
        "密码是",
        "пароль: ",
        "key=a1b2c3d4 ",
        "your code is 482 ",
    ),
    *("seed phrase: abandon ", '"password": "', "password=("),
    *("lock 1 2 3 ", "the safe is 1 left, 2 right ", "old pin 4711 "),
    "AAAA1111\nold pin new pin 1234 7–",
    *("type a1b2c3 for the wifi ", "say the words wifi ", "words that unlock "),
    "say the words abc def, ",
    *("it's a b c as the passphrase ", "enter password abcde ", "from a1b2c3 to ", "login('a', "),
    *("half of the key is ", "QWxhZGRpbjpv ", "password:\n", "twenty-two pin? "),
)

BY_USE = [
    ("Just type kangaroo-lamp-9 for the Wi-Fi.", "kangaroo-lamp-9"),
    ("What did I choose for Spotify's password?\nOh, it was vinylcrate81.", "vinylcrate81"),
    ("88-otter-88 gets you onto the wireless here", "88-otter-88"),
    ("The vault opens with the words amber canoe drifting north", "amber canoe drifting north"),
    ("the passwrod is tangerine-6-sky", "tangerine-6-sky"),
    ("smtp.login('bot@mail.example', 'Paperclip.55')", "Paperclip.55"),
]


@pytest.mark.parametrize(("text", "secret"), BY_USE)
def test_a_password_without_a_label_is_told_by_its_use(text: str, secret: str) -> None:
    """The topic of the sentence, the verb and the look of the value tell it, and it alone goes."""
    assert [text[one.start : one.end] for one in find_secrets(text)] == [secret]


USED_OTHERWISE = (
    "We log in with OAuth2 and keep users in sqlite3.",
    "The laptop's hostname is mars-7b.",
    "I use Firefox 128 on the old computer, my user name is night_owl88.",
    "1. **Create** an account. 2. **Connect** the router.",
    "conn = connect('app1.db')  # log in before",
    "Is Summer2024! a good password?",
)


@pytest.mark.parametrize("text", USED_OTHERWISE)
def test_what_is_used_to_get_in_is_no_password_by_that_alone(text: str) -> None:
    """Products, hosts, users, marked-up words and code stay."""
    assert mask_secrets(text).text == text


@pytest.mark.parametrize("unit", CROWDED)
def test_crowded_names_cost_linear_time(unit: str) -> None:
    """Names that announce secrets, one after the other, take time that grows as they do."""
    assert is_linear(find_secrets, fill(unit, CROWD))


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The VPN runs on node-3, use node-4 for the rest.", None),
        ("For the VPN, type node-3.", "node-3"),
        ("I picked account type node-3.", None),
        ("The VPN password is node-3.", "node-3"),
        ("The login form uses Tulip-lamp-9.", None),
        ("I log in with Tulip-lamp-9.", "Tulip-lamp-9"),
        ("Run login.py and log in with Tulip-lamp-9.", None),
    ],
)
def test_a_name_is_a_password_only_where_one_is_talked_of(text: str, secret: str | None) -> None:
    """A word and a number need a password's own word or typing; compounds and code tell nothing."""
    assert [text[one.start : one.end] for one in find_secrets(text)] == [secret] * bool(secret)


def test_a_code_word_is_of_a_place_only_where_the_place_is_named() -> None:
    """That of a depot is kept, that of a bank is a password."""
    assert [
        one.kind
        for where in ("depot", "bank")
        for one in find_secrets(f'The code word for the {where} is "pelican".')
    ] == ["place-code", "password"]

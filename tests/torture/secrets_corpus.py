"""Synthetic secrets in sentences of many languages, and texts that only look as if they held one.

Everything is drawn from a seed. No secret here ever opened anything.
"""

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
HEX = "0123456789abcdef"
ALNUM = LOWER + UPPER + DIGITS
URLSAFE = ALNUM + "-_"
BASE32 = UPPER + "234567"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BASE64 = ALNUM + "+/"
Random = random.Random
Maker = Callable[[Random], str]


@dataclass(frozen=True, slots=True)
class Case:
    """A secret of a kind in a text, once."""

    kind: str
    text: str
    secret: str


def run(rng: Random, alphabet: str, size: int) -> str:
    """Size characters of an alphabet; with a digit, a small and a large letter wherever the
    alphabet has them.
    """
    must = [
        rng.choice(group)
        for group in (DIGITS, LOWER, UPPER)
        if set(group) & set(alphabet) and size > 3
    ]
    must = [c for c in must if c in alphabet]
    chars = must + [rng.choice(alphabet) for _ in range(size - len(must))]
    rng.shuffle(chars)
    return chars[0] + "".join(chars[1:]) if chars[0] not in "-_+/" else "x" + "".join(chars[1:])


def shaped(prefix: str, alphabet: str, size: int, suffix: str = "") -> Maker:
    """A maker of keys with an issuer's prefix."""
    return lambda rng: prefix + run(rng, alphabet, size) + suffix


def joined(*makers: Maker) -> Maker:
    """A maker of keys in parts."""
    return lambda rng: "".join(make(rng) for make in makers)


def guid(rng: Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def jwt(rng: Random) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = (
        base64.urlsafe_b64encode(
            f'{{"sub":"{rng.randrange(10**9)}","iat":{rng.randrange(10**9)}}}'.encode()
        )
        .decode()
        .rstrip("=")
    )
    return f"{head}.{body}.{run(rng, URLSAFE, 43)}"


def pem(kind: str) -> Maker:
    """A maker of private key blocks."""

    def make(rng: Random) -> str:
        body = "\n".join(run(rng, BASE64, 64) for _ in range(rng.randint(3, 12)))
        return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"

    return make


def card(rng: Random) -> str:
    first, size = rng.choice(
        [
            ("4", 16),
            ("51", 16),
            ("55", 16),
            ("2221", 16),
            ("34", 15),
            ("37", 15),
            ("6011", 16),
            ("3530", 16),
            ("36", 14),
        ]
    )
    digits = [int(c) for c in first] + [rng.randrange(10) for _ in range(size - len(first) - 1)]
    total = sum(
        d if place % 2 else sum(divmod(d * 2, 10)) for place, d in enumerate(reversed(digits))
    )
    number = "".join(map(str, digits)) + str(-total % 10)
    if size == 16 and rng.random() < 0.6:
        number = rng.choice(" -").join(number[i : i + 4] for i in range(0, 16, 4))
    return number


def password(rng: Random) -> str:
    """What people choose: a word and a number, changed letters, or what a generator gave them."""
    word = rng.choice(
        "hunter dragon sommer Bonjour tiger lucky Sunny matrix Otter karlsson mango falcon rocket Violet pepper".split()
    )
    return rng.choice(
        [
            f"{word}{rng.randint(2, 99999)}",
            f"{word.title()}{rng.choice('!#$%&*@')}{rng.randint(10, 2030)}",
            word.replace("a", "4").replace("e", "3").replace("o", "0")
            + str(rng.randint(1, 99))
            + rng.choice("!#$*"),
            run(rng, ALNUM + "!#$%^&*+=@", rng.randint(9, 20)),
            "-".join(run(rng, ALNUM, 5) for _ in range(3)),
        ]
    )


WORDS = (
    "abandon ability able absent absorb abstract absurd abuse access accident account acid acoustic acquire across act adapt admit adult advance "
    "advice aerobic afford afraid again agent agree ahead airport aisle alarm album alcohol alert alien alley allow almost alone alpha already "
    "orbit orchard ostrich oyster panda paper parade parent patch peanut pelican pencil ribbon rifle ripple river rocket saddle salmon scatter "
    "shaft shell shiver shrimp silver sketch soccer soldier swallow symbol tackle tissue tobacco tomato tunnel umbrella velvet village wagon zebra"
).split()


def seed_words(rng: Random) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.choice([12, 12, 24])))


def code(rng: Random) -> str:
    return f"{rng.randrange(10**6):06d}"


def pin(rng: Random) -> str:
    return f"{rng.randrange(10**4):04d}"


# Keys that are known by their shape wherever they stand.
SHAPED: dict[str, Maker] = {
    "aws access key": lambda rng: rng.choice(["AKIA", "ASIA"]) + run(rng, BASE32, 16),
    "github classic": lambda rng: (
        rng.choice(["ghp_", "gho_", "ghs_", "ghu_", "ghr_"]) + run(rng, ALNUM, 36)
    ),
    "github fine-grained": joined(shaped("github_pat_", ALNUM, 22), shaped("_", ALNUM, 59)),
    "gitlab": lambda rng: (
        rng.choice(["glpat-", "gldt-", "glrt-", "glptt-"]) + run(rng, URLSAFE, 20)
    ),
    "bitbucket": shaped("ATBB", ALNUM, 32),
    "atlassian": shaped("ATATT3xFfGF0", URLSAFE, 180),
    "openai": shaped("sk-", ALNUM, 48),
    "openai project": shaped("sk-proj-", URLSAFE, 80),
    "anthropic": shaped("sk-ant-api03-", URLSAFE, 93, "AA"),
    "openrouter": shaped("sk-or-v1-", HEX, 64),
    "google api": shaped("AIza", URLSAFE, 35),
    "google oauth": shaped("ya29.a0", URLSAFE, 90),
    "google client secret": shaped("GOCSPX-", URLSAFE, 28),
    "hugging face": shaped("hf_", ALNUM, 34),
    "replicate": shaped("r8_", ALNUM, 37),
    "groq": shaped("gsk_", ALNUM, 52),
    "xai": shaped("xai-", ALNUM, 80),
    "perplexity": shaped("pplx-", ALNUM, 48),
    "nvidia": shaped("nvapi-", URLSAFE, 64),
    "slack bot": lambda rng: (
        f"xoxb-{rng.randrange(10**11, 10**12)}-{rng.randrange(10**12, 10**13)}-{run(rng, ALNUM, 24)}"
    ),
    "slack app": lambda rng: (
        f"xapp-1-A{run(rng, UPPER + DIGITS, 10)}-{rng.randrange(10**12, 10**13)}-{run(rng, HEX, 64)}"
    ),
    "slack webhook": lambda rng: (
        f"https://hooks.slack.com/services/T{run(rng, UPPER + DIGITS, 8)}/B{run(rng, UPPER + DIGITS, 10)}/{run(rng, ALNUM, 24)}"
    ),
    "discord bot": lambda rng: (
        f"M{run(rng, ALNUM, 23)}.{run(rng, ALNUM, 6)}.{run(rng, URLSAFE, 38)}"
    ),
    "discord webhook": lambda rng: (
        f"https://discord.com/api/webhooks/{rng.randrange(10**17, 10**18)}/{run(rng, URLSAFE, 68)}"
    ),
    "telegram": lambda rng: f"{rng.randrange(10**8, 10**10)}:AA{run(rng, URLSAFE, 33)}",
    "stripe": lambda rng: rng.choice(["sk_live_", "rk_live_", "sk_test_"]) + run(rng, ALNUM, 24),
    "stripe webhook": shaped("whsec_", ALNUM, 32),
    "paypal": lambda rng: (
        f"access_token$production${run(rng, LOWER + DIGITS, 16)}${run(rng, HEX, 32)}"
    ),
    "square": shaped("sq0csp-", URLSAFE, 43),
    "shopify": shaped("shpat_", HEX, 32),
    "twilio": shaped("SK", HEX, 32),
    "sendgrid": joined(shaped("SG.", URLSAFE, 22), shaped(".", URLSAFE, 43)),
    "mailgun": shaped("key-", HEX, 32),
    "mailchimp": shaped("", HEX, 32, "-us14"),
    "npm": shaped("npm_", ALNUM, 36),
    "pypi": shaped("pypi-AgEIcHlwaS5vcmc", URLSAFE, 120),
    "rubygems": shaped("rubygems_", HEX, 48),
    "docker hub": shaped("dckr_pat_", URLSAFE, 27),
    "heroku": joined(shaped("HRKU-AA", URLSAFE, 58)),
    "digitalocean": shaped("dop_v1_", HEX, 64),
    "netlify": shaped("nfp_", ALNUM, 36),
    "databricks": shaped("dapi", HEX, 32),
    "vault": shaped("hvs.", URLSAFE, 90),
    "terraform": joined(shaped("", ALNUM, 14), shaped(".atlasv1.", URLSAFE, 67)),
    "doppler": shaped("dp.pt.", ALNUM, 43),
    "grafana": shaped("glsa_", ALNUM, 32, "_a1b2c3d4"),
    "new relic": shaped("NRAK-", UPPER + DIGITS, 27),
    "notion": shaped("ntn_", ALNUM, 46),
    "linear": shaped("lin_api_", ALNUM, 40),
    "airtable": joined(shaped("pat", ALNUM, 14), shaped(".", HEX, 64)),
    "figma": shaped("figd_", URLSAFE, 40),
    "hubspot": lambda rng: f"pat-na1-{guid(rng)}",
    "postman": joined(shaped("PMAK-", HEX, 24), shaped("-", HEX, 34)),
    "supabase": shaped("sbp_", HEX, 40),
    "planetscale": shaped("pscale_tkn_", ALNUM, 43),
    "age": shaped("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "bitcoin wif": lambda rng: rng.choice("KL") + run(rng, BASE58, 51),
    "extended key": shaped("xprv9", BASE58, 106),
    "nostr": shaped("nsec1", "qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58),
    "jwt": jwt,
    "card": card,
    "bitlocker": lambda rng: "-".join(f"{rng.randrange(10**6):06d}" for _ in range(8)),
    "rsa key": pem("RSA PRIVATE KEY"),
    "openssh key": pem("OPENSSH PRIVATE KEY"),
    "pkcs8 key": pem("PRIVATE KEY"),
    "pgp key": pem("PGP PRIVATE KEY BLOCK"),
    "azure client secret": lambda rng: f"{run(rng, ALNUM, 3)}8Q~{run(rng, ALNUM + '.-_', 34)}",
}

AROUND_SHAPED = (
    "{}", "Here you go: {}", "I pasted {} into the config and it worked, thanks!", "can you store this for me? {} – I will need it on Monday.",
    "请记住 {}，我下周要用。", "请记住{}，我下周要用。", "これを覚えて：{}。よろしく。", "これは{}です。", "이거 저장해줘: {}. 고마워.", "내 것은 {}이야.",
    "Запомни, пожалуйста: {} — это для сервера.", "احفظ هذا: {} من فضلك.", "इसे याद रखो: {} धन्यवाद।", "Merk dir bitte {}, das ist für den Server.",
    "Note bien ceci : {}, on en aura besoin.", "Guarda esto: {}, por favor.", "จำไว้ว่า{}นะ", "σημείωσε το {}, σε παρακαλώ", "זכור את {} בבקשה",
    "```\nexport X={}\n```", "config:\n  value: {}\n  region: eu", '{{"a": 1, "b": "{}"}}', "it says `{}` in the dashboard", "({})", "“{}” was in the mail",
    "- step one\n- paste {}\n- step three", "<td>{}</td>", "curl -H 'X-Thing: {}' https://api.example.org/v1/things", "Emoji 🔑{}🔑 done", "Bu {} bende kalsın.",
)  # fmt: skip

# Values that are secrets because of the words around them; the sentences bring the words.
TOLD: dict[str, tuple[Maker, tuple[str, ...]]] = {
    "password en": (
        password,
        (
            "My password is {}.",
            "the password for the staging server is {}, ask Tom if it fails",
            "Login: ana, password: {}",
            "password = '{}'",
            "You can use {} as the password for now.",
            "{} is my Netflix password",
            "I changed my password to {} yesterday.",
            "Passcode: {}\nThanks!",
            "The Wi-Fi password at the cabin is {} by the way.",
            "The guest network is called Otter and its password is “{}”.",
            "pwd: {}",
            "user admin pass: {} should work",
            "The password, if I remember right, is {}.",
            "my new laptop password will be {} from tomorrow",
        ),
    ),
    "password de": (
        password,
        (
            "Das Passwort lautet {}.",
            "Mein Passwort ist {}, bitte merken!",
            "WLAN-Passwort: {}",
            "Das Kennwort für den Router ist {}.",
        ),
    ),
    "password fr": (
        password,
        (
            "Le mot de passe est {}.",
            "mot de passe : {}",
            "Le mot de passe du wifi, c'est {}.",
            "mdp: {} pour le serveur",
        ),
    ),
    "password es": (
        password,
        (
            "La contraseña es {}.",
            "Mi contraseña de Netflix es {}, no la pierdas.",
            "contraseña: {}",
            "La clave del wifi es {}.",
        ),
    ),
    "password it": (
        password,
        ("La password è {}.", "La mia password del wifi è {}.", "parola d'ordine: {}"),
    ),
    "password pt": (
        password,
        (
            "A senha é {}.",
            "minha senha: {}",
            "A senha do wifi é {}, anota aí.",
            "A palavra-passe é {}.",
        ),
    ),
    "password nl": (
        password,
        (
            "Het wachtwoord is {}.",
            "wachtwoord: {}",
            "Mijn wachtwoord voor de router is {}, onthoud het.",
        ),
    ),
    "password sv": (password, ("Lösenordet är {}.", "Mitt lösenord: {}")),
    "password da": (password, ("Adgangskoden er {}.", "Mit kodeord er {}.")),
    "password fi": (password, ("Salasana on {}.", "salasanani on {}, muista se")),
    "password pl": (
        password,
        ("Hasło to {}.", "Moje hasło: {}", "Hasło do wifi to {}, zapamiętaj."),
    ),
    "password cs": (password, ("Heslo je {}.", "heslo: {}")),
    "password hu": (password, ("A jelszó {}.", "A jelszavam: {}")),
    "password tr": (
        password,
        ("Şifre: {}", "Şifrem {}, unutma.", "Wifi şifresi {}", "Parola {} olarak ayarlandı."),
    ),
    "password ru": (
        password,
        (
            "Пароль: {}",
            "Пароль от роутера — {}.",
            "мой пароль {}, запомни",
            "Пароль к почте теперь {}, старый не работает.",
        ),
    ),
    "password uk": (password, ("Пароль: {}", "Мій пароль — {}.")),
    "password el": (password, ("Ο κωδικός πρόσβασης είναι {}.", "Κωδικός: {}")),
    "password he": (password, ("הסיסמה היא {}.", "סיסמה: {}")),
    "password ar": (password, ("كلمة المرور هي {}.", "كلمة السر: {}", "كلمة مرور الواي فاي {}")),
    "password fa": (password, ("رمز عبور من {} است.", "گذرواژه: {}")),
    "password hi": (password, ("मेरा पासवर्ड {} है।", "पासवर्ड: {}", "वाई-फाई का पासवर्ड {} है")),
    "password bn": (password, ("আমার পাসওয়ার্ড {}।", "পাসওয়ার্ড: {}")),
    "password ta": (password, ("கடவுச்சொல் {}", "கடவுச்சொல்: {}")),
    "password th": (password, ("รหัสผ่านคือ {}", "รหัสผ่าน: {}", "รหัสผ่านคือ{}ครับ")),
    "password vi": (password, ("Mật khẩu là {}.", "mật khẩu wifi: {}")),
    "password id": (password, ("Kata sandinya {}.", "Kata sandi wifi adalah {}.")),
    "password sw": (password, ("Nenosiri ni {}.", "nenosiri: {}")),
    "password ka": (password, ("პაროლია {}", "პაროლი: {}")),
    "password zh": (
        password,
        (
            "密码是{}。",
            "密码：{}",
            "我的密码改成了{}，别忘了。",
            "Wi-Fi密码是{}，你连一下。",
            "{}是我的密码",
            "密碼是 {}",
        ),
    ),
    "password ja": (
        password,
        (
            "パスワードは{}です。",
            "パスワード：{}",
            "Wi-Fiのパスワードは「{}」です。",
            "{}がパスワードです。",
            "パスワードを{}に変更しました。",
        ),
    ),
    "password ko": (
        password,
        (
            "비밀번호는 {}입니다.",
            "비밀번호: {}",
            "와이파이 비번은 {}야.",
            "{}가 내 비밀번호야",
            "비밀번호를 {}로 바꿨어.",
        ),
    ),
    "pin": (
        pin,
        (
            "My PIN is {}.",
            "the card's PIN: {}",
            "Meine PIN lautet {}.",
            "Mi PIN es {}.",
            "Mon code PIN est {}.",
            "ПИН-код: {}",
            "мой пин-код {}",
            "暗証番号は{}です。",
            "핀번호는 {}이야.",
            "PIN码是{}。",
            "Il mio PIN è {}",
            "O meu PIN é {}.",
            "मेरा पिन {} है",
            "The PIN for my debit card is {}.",
        ),
    ),
    "one-time code": (
        code,
        (
            "Your verification code is {}.",
            "Your code is {}. It expires in ten minutes.",
            "{} is your verification code",
            "Use {} as your login code.",
            "验证码：{}，请勿告诉他人。",
            "【银行】验证码{}，五分钟内有效。",
            "認証コードは{}です。",
            "인증번호 [{}]를 입력하세요.",
            "Код подтверждения: {}.",
            "Ваш код: {}.",
            "Ihr Bestätigungscode lautet {}.",
            "Votre code de vérification est {}.",
            "Tu código de verificación es {}.",
            "رمز التحقق هو {}.",
            "Twój kod weryfikacyjny to {}.",
            "Doğrulama kodu: {}",
            "Il tuo codice di verifica è {}.",
            "Seu código de acesso é {}.",
            "OTP: {}",
        ),
    ),
    "door code": (
        pin,
        (
            "The door code is {}.",
            "Gate code: {}",
            "Der Türcode ist {}.",
            "Le code de la porte est {}.",
            "El código de la puerta es {}.",
            "Код от домофона: {}",
        ),
    ),
    "card code": (lambda rng: f"{rng.randrange(1000):03d}", ("CVV {}", "cvc: {}", "the CVV is {}")),
    "seed phrase": (
        seed_words,
        (
            "My seed phrase is {}.",
            "Recovery phrase: {}",
            "Seed phrase for the ledger:\n{}\nkeep it safe",
            "Meine Wiederherstellungsphrase lautet: {}.",
            "сид-фраза: {}",
            "助记词：{}。",
            "ma phrase de récupération : {}",
        ),
    ),
    "pass phrase": (
        lambda rng: " ".join(rng.sample(WORDS, 4)),
        ('The passphrase is "{}".', "Passphrase: {}", "my pgp passphrase is {}."),
    ),
    "plain word": (
        lambda rng: rng.choice(
            "swordfish marigold pineapple bluebird dragonfly wintergreen tangerine".split()
        ),
        (
            "My password is {}.",
            'the password is "{}"',
            "Password: {}",
            "パスワードは「{}」です。",
            "Das Passwort lautet „{}“.",
        ),
    ),
    "api key": (
        lambda rng: rng.choice(
            [run(rng, HEX, 32), run(rng, ALNUM, 40), run(rng, ALNUM, 24), guid(rng)]
        ),
        (
            "api_key={}",
            "API key: {}",
            "My Datadog API key is {}.",
            'const apiKey = "{}";',
            "X-Api-Key: {}",
            '"apiKey": "{}"',
            "我的API密钥是{}。",
            "APIキーは{}です。",
            "API 키는 {}입니다.",
            "API-Schlüssel: {}",
            "La clé API est {}.",
            "la clave de la API es {}",
            "API-ключ: {}",
            "مفتاح API هو {}",
            "the api key for weather is {}, ok?",
        ),
    ),
    "token": (
        lambda rng: rng.choice([run(rng, ALNUM, 32), run(rng, URLSAFE, 43), run(rng, HEX, 40)]),
        (
            "token: {}",
            "The access token is {}.",
            "Authorization: Bearer {}",
            "auth_token = '{}'",
            "refresh_token={}&grant_type=refresh_token",
            "токен: {}",
            "令牌是{}。",
            "トークンは{}です",
            "토큰: {}",
            "--token {} --verbose",
            "{} is the deploy token",
            "El token es {}, guárdalo.",
            "PRIVATE-TOKEN: {}",
        ),
    ),
    "aws secret": (
        lambda rng: run(rng, BASE64, 40),
        (
            "aws_secret_access_key = {}",
            "AWS_SECRET_ACCESS_KEY={}",
            "the secret access key is {}",
            '"SecretAccessKey": "{}"',
        ),
    ),
    "azure storage": (
        lambda rng: run(rng, BASE64, 86) + "==",
        (
            "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};EndpointSuffix=core.windows.net",
            "the storage account key is {}",
        ),
    ),
    "shared access": (
        lambda rng: run(rng, ALNUM, 43) + "%3D",
        ("https://x.blob.core.windows.net/c/f?sv=2022-11-02&sr=b&sig={}&se=2030",),
    ),
    "client secret": (
        lambda rng: run(rng, ALNUM, 32),
        (
            "client_secret={}",
            "clientSecret: '{}'",
            "OAUTH_CLIENT_SECRET={}",
            "The client secret is {}.",
        ),
    ),
    "database url": (
        lambda rng: run(rng, ALNUM, 12) + rng.choice(["", "!", "$x"]),
        (
            "postgres://app:{}@db.internal:5432/main",
            "mongodb+srv://root:{}@cluster0.example.net/x",
            "redis://:{}@cache:6379/0",
            "mysql://u:{}@localhost/db",
            "DATABASE_URL=postgresql://ana:{}@10.0.0.5/app",
            "Server=db;User Id=sa;Password={};Encrypt=true",
            "amqp://guest:{}@mq:5672/",
        ),
    ),
    "basic auth": (
        lambda rng: base64.b64encode(f"admin:{run(rng, ALNUM, 13)}".encode()).decode(),
        ("Authorization: Basic {}", 'headers={{"Authorization": "Basic {}"}}'),
    ),
    "address with password": (
        lambda rng: run(rng, ALNUM, 10),
        (
            "https://bob:{}@intranet.example.org/wiki",
            "git clone https://ci:{}@git.example.org/a/b.git",
        ),
    ),
    "curl user": (
        lambda rng: run(rng, ALNUM, 12),
        ("curl -u admin:{} https://example.org/api", "curl --user 'bob:{}' example.org"),
    ),
    "mysql flag": (
        lambda rng: run(rng, ALNUM, 12),
        ("mysql -u root -p{} shop", "mysqldump -uroot -p{} shop > dump.sql"),
    ),
    "env line": (
        password,
        (
            "DB_PASSWORD={}\nDB_HOST=db",
            "MYSQL_ROOT_PASSWORD: {}",
            'SMTP_PASS="{}"',
            "export PGPASSWORD={}",
            "REDIS_PASSWORD='{}'",
        ),
    ),
    "private key hex": (
        lambda rng: run(rng, HEX, 64),
        (
            "private key: {}",
            "my wallet's private key is 0x{}",
            "PRIVATE_KEY={}",
            "приватный ключ: {}",
            "私钥是{}。",
        ),
    ),
    "cookie": (
        lambda rng: run(rng, ALNUM, 40),
        (
            "Cookie: session={}; theme=dark",
            "Set-Cookie: sid={}; HttpOnly",
            "JSESSIONID={}",
            "PHPSESSID={}; path=/",
        ),
    ),
    "wifi qr": (
        lambda rng: run(rng, ALNUM, 12),
        ("WIFI:S:Home;T:WPA;P:{};;", "WIFI:T:WPA;S:Otter;P:{};;"),
    ),
    "totp": (
        lambda rng: run(rng, BASE32, 32),
        (
            "otpauth://totp/Example:ana?secret={}&issuer=Example",
            "2FA secret: {}",
            "TOTP secret is {}",
        ),
    ),
    "backup code": (
        lambda rng: f"{run(rng, LOWER + DIGITS, 5)}-{run(rng, LOWER + DIGITS, 5)}",
        ("backup code: {}", "Recovery code is {}", "one of my backup codes is {}"),
    ),
    "license key": (
        lambda rng: "-".join(run(rng, UPPER + DIGITS, 5) for _ in range(5)),
        ("Windows product key: {}", "the license key is {}", "{}"),
    ),
    "unknown issuer": (
        lambda rng: (
            rng.choice(["acme_sk_", "zeta_live_", "corp_pat_", "api_key_", "secret_live_"])
            + run(rng, ALNUM, 32)
        ),
        ("I got {} from the vendor", "{}", "新しいのは{}です"),
    ),
    "service account": (
        lambda rng: (
            "-----BEGIN PRIVATE KEY-----\\n"
            + run(rng, BASE64, 200)
            + "\\n-----END PRIVATE KEY-----\\n"
        ),
        ('{{"type": "service_account", "private_key": "{}", "client_email": "x@y.iam"}}',),
    ),
    "sql password": (
        password,
        ("CREATE USER app WITH PASSWORD '{}';", "ALTER USER 'app'@'%' IDENTIFIED BY '{}';"),
    ),
    "login pair": (
        lambda rng: run(rng, ALNUM, 9),
        ("login: admin / {}", "credentials: root/{}", "Zugangsdaten: gast / {}"),
    ),
    "yaml": (
        password,
        ("db:\n  user: app\n  password: {}\n  port: 5432", "auth:\n  token: abc\n  passwd: {}"),
    ),
    "xml": (password, ("<password>{}</password>",)),
    "markdown": (
        password,
        ("**Password:** {}", "| user | ana |\n| password | {} |", "- password: `{}`"),
    ),
}


def secrets(seed: int, count: int = 1000) -> list[Case]:
    """Count secrets in sentences, every kind about as often."""
    rng = Random(seed)
    kinds = [*SHAPED, *TOLD]
    cases = []
    for number in range(count):
        kind = kinds[number % len(kinds)]
        make, frames = (SHAPED[kind], AROUND_SHAPED) if kind in SHAPED else TOLD[kind]
        secret = make(rng)
        frame = rng.choice(frames)
        cases.append(Case(kind, _surround(rng, frame.format(_fitted(secret, frame))), secret))
    return cases


def _fitted(secret: str, frame: str) -> str:
    return secret.replace("<", "&lt;") if frame.startswith("<") else secret


TALK = (
    "We met Carla at the lake on Sunday.", "下午三点在老地方见。", "明日は雨らしいですね。", "Завтра у меня встреча в десять.", "Mañana voy al dentista.", "내일 보자!",
    "The train leaves at 9:42 from platform 7.", "On se voit demain soir ?", "غدا عندي موعد مع الطبيب.", "कल मिलते हैं।", "Der Termin ist am 3. Mai.", "Ok, thanks!",
)  # fmt: skip


def _surround(rng: Random, text: str) -> str:
    before = f"{rng.choice(TALK)} " if rng.random() < 0.4 else ""
    after = (
        f" {rng.choice(TALK)}" if rng.random() < 0.4 and not text.endswith(("\n", "```")) else ""
    )
    return before + text + ("\n" + after.strip() if "\n" in text and after else after)


PLAIN = (
    "My password manager is 1Password.", "I forgot my password again.", "The password policy requires 12 characters.", "The secret is to stir slowly.",
    "A small token of appreciation for your help.", "Please reset your password before Friday.", "Never share your password with anyone.",
    "The password must be at least 8 characters long.", "Your password has expired.", "My password is too long to type on a phone.", "The password is wrong.",
    "The password is stored in Bitwarden.", "Password: required", "password: string", "Password (optional):", "The password is case-sensitive.",
    "I keep the key under the mat.", "The key to success is patience.", "The key takeaways: revenue grew 12% in Q3 2024.", "Press the Enter key twice.",
    "She plays in the key of F# minor.", "Our secret santa budget is 20 euros.", "The secret ingredient is MSG.", "Token limits: 4096 input, 1024 output.",
    "max_tokens=4096", "The model reads 128000 tokens.", "A token costs $0.03 per 1k.", "I lost my bus pass.", "The exam has a pass rate of 85%.",
    "Pass me the salt, please.", "PASS: test_login2 (0.03s)", "The zip code is 94110.", "Error code: 1045", "HTTP status code 404", "The area code is 415.",
    "Exit code 137 means out of memory.", "Use promo code SUMMER20 at checkout.", "The dress code is casual.", "PIN 13 of the board is broken.",
    "He is the kingpin of 1920 Chicago.", "I pinned 4 photos.", "My passport number is on file.", "He passed 3 exams in 2023.",
    "Passwort vergessen?", "Das Passwort ist falsch.", "Ich habe mein Passwort vergessen.", "J'ai oublié mon mot de passe.", "Le mot de passe est incorrect.",
    "Olvidé mi contraseña.", "La contraseña es obligatoria.", "La clave es tener paciencia.", "La clave del éxito es trabajar 8 horas.", "Ho dimenticato la password.",
    "Esqueci minha senha.", "Ik ben mijn wachtwoord vergeten.", "Zapomniałem hasła.", "Şifremi unuttum.", "Я забыл пароль.", "Пароль должен содержать 8 символов.",
    "密码太短了。", "我忘记了密码。", "请输入密码。", "密码管理器我用1Password。", "パスワードを忘れました。", "パスワードは8文字以上です。", "비밀번호를 잊어버렸어요.", "비밀번호는 8자 이상이어야 합니다.",
    "نسيت كلمة المرور.", "मैं पासवर्ड भूल गया।", "ฉันลืมรหัสผ่าน", "Ο κωδικός είναι λάθος.", "שכחתי את הסיסמה.", "Tôi quên mật khẩu.",
    "password = get_password()", 'api_key=os.environ["KEY"]', "const token = process.env.API_TOKEN;", "password: ${DB_PASSWORD}", "token: {{ secrets.TOKEN }}",
    "api_key = config.api_key", "self.password = password", "def login(user: str, password: str) -> None: ...", "if password == other_password:",
    'password = input("Password: ")', "API_KEY=YOUR_API_KEY", "api_key=sk-...", "token=<token>", "password=xxxxxxxx", "password: ********", "secret: [REDACTED]",
    'headers = {"Authorization": f"Bearer {token}"}', "Authorization: Bearer <token>", "export OPENAI_API_KEY=your-key-here", "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxx",
    "AWS_ACCESS_KEY_ID=XXXXXXXXXXXXXXXXXXXX", "token_expiry: 3600", "password_min_length = 12", "primary_key=True", "foreign key user_id2", "PASSWORD_RESET_TIMEOUT=3600",
    "key: value", 'dict["key1"] = "value1"', "for key, value in items.items():", "the cache key is user:1234:profile", "idempotency key order-2024-001",
    "public key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx0Yp9Q0c1bKJxkq3mYp8v5h2s7d4f6g8h0j2k4l6m8 ana@laptop", "The SHA256 key fingerprint is SHA256:uNiVztksCsDhcc0u9e8BrqXVUBt1Yk.",
    "Bearer of bad news: the trip is cancelled.", "Basic understanding of JavaScript2 is enough.", "OAuth2 is better than password login.",
    "Windows11 asks for my password every time.", "user42 is changing his password.", "the password for user42 was reset", "Is the password different on server01?",
    "The tokenizer splits 'hunter2' into three tokens.", "We sell 500 tokens in 2025.", "the ERC20 token contract was audited in 2023",
    "I studied cryptography: SHA256, AES256 and RSA2048.", "My keyboard is a K380.", "monkey123 is a funny nickname", "The code review took 3 hours.",
    "Python3 code is at https://github.com/example/project2/blob/main/src/code.py", "She sent a QR code for table 12.", "Die Postleitzahl ist 10115 Berlin.",
    "El código postal es 28013.", "Le code postal est 75011.", "Код ошибки: 1045.", "Почтовый индекс 101000.", "エラーコードは1045です。", "邮编是100084。", "우편번호는 04524입니다.",
    "The combination of 3 colours works well.", "a combo meal for 12.50", "Room 4821 is on the fourth floor.", "Flight LH4821 leaves at 10:35.",
)  # fmt: skip

# Texts around things that look random, or are numbers, and open nothing.
HARMLESS: dict[str, tuple[Maker, tuple[str, ...]]] = {
    "uuid": (guid, ("The ticket is {}.", "request id {}", "session {} ended", "id: {}", "订单号是{}。", "see https://example.org/items/{}", "user_id={}")),
    "git commit": (lambda rng: run(rng, HEX, 40), ("Fixed in commit {}.", "commit {}\nAuthor: Ana", "revert {} please", "the bug came with {}", "fixed the token refresh in commit {}")),
    "short commit": (lambda rng: run(rng, HEX, 7), ("see {}", "cherry-pick {}", "the key fix is {}")),
    "checksum": (lambda rng: run(rng, HEX, 64), ("sha256: {}", "The checksum is {}.", "SHA-256 of the file: {}", "digest sha256:{}")),
    "md5": (lambda rng: run(rng, HEX, 32), ("md5 {}", "The file's hash is {}.", "ETag: {}")),
    "order": (lambda rng: f"{rng.randrange(100, 999)}-{rng.randrange(10**6, 10**7)}-{rng.randrange(10**6, 10**7)}", ("Order {} has shipped.", "Your order number is {}.", "Bestellung {}")),
    "tracking": (lambda rng: "1Z" + run(rng, UPPER + DIGITS, 16), ("Tracking number {}", "UPS {} arrives on Monday")),
    "phone": (
        lambda rng: f"+{rng.randrange(1, 99)} {rng.randrange(100, 999)} {rng.randrange(100, 999)} {rng.randrange(1000, 9999)}",
        ("Call me at {}.", "电话：{}", "Tel.: {}", "my number is {}", "Мой телефон {}"),
    ),
    "isbn": (lambda rng: f"978-{rng.randrange(10)}-{rng.randrange(10, 99)}-{rng.randrange(10**6):06d}-{rng.randrange(10)}", ("ISBN {}", "The book is {}.")),
    "date": (
        lambda rng: f"{rng.randrange(1990, 2030)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}",
        ("We met on {}.", "Password changed on {}.", "The code was written {}.", "PIN letter sent {}", "token expires {}", "生日是{}"),
    ),
    "time": (lambda rng: f"{rng.randrange(24)}:{rng.randrange(60):02d}", ("The train leaves at {}.", "会议{}开始", "password reset at {}")),
    "image": (
        lambda rng: base64.b64encode(rng.randbytes(90)).decode(),
        ("data:image/png;base64,{}", "![x](data:image/gif;base64,{})", "<img src='data:image/jpeg;base64,{}'>"),
    ),
    "iban": (lambda rng: f"DE{rng.randrange(10, 99)} " + " ".join(f"{rng.randrange(10**4):04d}" for _ in range(4)) + f" {rng.randrange(100):02d}", ("IBAN {}", "Mein Konto: {}")),
    "version": (lambda rng: f"{rng.randrange(9)}.{rng.randrange(30)}.{rng.randrange(99)}", ("Upgrade to v{}.", "python-token-lib=={}", "The password module {} is out")),
    "coordinates": (lambda rng: f"{rng.uniform(-90, 90):.6f}, {rng.uniform(-180, 180):.6f}", ("We are at {}.", "坐标：{}")),
    "amount": (lambda rng: f"{rng.randrange(1000, 99999)},{rng.randrange(99):02d} €", ("The rent is {}.", "Der Betrag: {}")),
    "file": (lambda rng: f"report_{rng.randrange(2000, 2030)}_v{rng.randrange(9)}.pdf", ("Send me {}.", "the key file is {}", "password list in {}")),
    "address": (lambda rng: f"https://example.org/blog/{rng.randrange(2000, 2030)}/why-tokens-matter-{rng.randrange(99)}", ("Read {}.", "the page is {} (about passwords)")),
    "wallet": (lambda rng: "0x" + run(rng, HEX, 40), ("Send it to {}.", "The contract is at {}.", "my public address: {}")),
    "video": (lambda rng: run(rng, ALNUM, 11), ("https://www.youtube.com/watch?v={}", "https://youtu.be/{}")),
    "ticket": (lambda rng: f"{rng.choice(['PROJ', 'OPS', 'KEY'])}-{rng.randrange(100, 9999)}", ("See {}.", "{} is about the token cache", "the ticket is {}")),
    "serial": (lambda rng: run(rng, UPPER + DIGITS, 12), ("Serial number {}", "The laptop is a {}")),
    "mail": (lambda rng: f"{rng.choice(['ana', 'bob.k', 'li.wei'])}{rng.randrange(99)}@example.org", ("Write to {}.", "My login mail is {}.", "邮箱是{}。")),
    "hyphens": (lambda rng: "-".join(rng.sample(WORDS, 4)), ("the branch is {}", "article: https://example.org/{}", "slug {}")),
    "chat id": (lambda rng: f"{rng.choice(['chatcmpl', 'msg', 'run', 'cus', 'evt', 'req'])}{rng.choice('-_')}{run(rng, ALNUM, 24)}", ("The response {} was fine.", "id={}")),
    "package lock": (lambda rng: f"sha512-{base64.b64encode(rng.randbytes(64)).decode()}", ('"integrity": "{}"', "integrity {}")),
    "code number": (
        lambda rng: str(rng.randrange(10**4, 10**6)),
        ("Product code {}", "zip code {}", "error code {}", "The postal code is {}.", "Booking code: {} seats", "the course code is {}", "dial code {}"),
    ),
    "colour": (lambda rng: "#" + run(rng, HEX, 6), ("The primary colour is {}.", "color: {};", "key colour {}")),
    "year": (lambda rng: str(rng.randrange(1900, 2030)), ("The password survey of {} was sad.", "In {} tokens were rare.", "code of {}", "PIN codes since {}")),
    "measure": (lambda rng: f"{rng.randrange(2, 64)} {rng.choice(['characters', 'digits', 'bytes', 'words'])}", ("The password is {} long.", "a key of {}", "the PIN has {}")),
}  # fmt: skip


def look_alikes(seed: int, count: int = 2000) -> Iterator[str]:
    """Count texts without a secret; a quarter of them speak of passwords, keys, tokens or codes."""
    rng = Random(seed)
    kinds = list(HARMLESS)
    for number in range(count):
        if number % 4 == 0:
            yield _surround(rng, PLAIN[number // 4 % len(PLAIN)])
        else:
            make, frames = HARMLESS[kinds[number % len(kinds)]]
            yield _surround(rng, rng.choice(frames).format(make(rng)))

"""What servers say of requests that they refuse, as it is shown."""

from __future__ import annotations

import pytest

from omoide.models.server_words import LONGEST, server_words

SENT = (
    "My cat is called Momo. The PIN of my phone is 7391, it is the one of 東京タワー.",
    "key-abcd",
)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "too long", "code": 400}},
        {"type": "error", "error": {"type": "x", "message": "too long"}},
        {"error": "too long"},
        {"message": "too long"},
        {"detail": [{"loc": ["body"], "msg": "too long"}]},
        [{"error": {"message": "too long"}}],
        '{"error": {"message": "too\\n  long"}}',
        "too long",
    ],
)
def test_the_message_is_found_where_servers_put_it(body: object) -> None:
    """On one line."""
    assert server_words(body, SENT) == ": too long"


@pytest.mark.parametrize(
    "body",
    [
        None,
        3,
        {},
        [],
        "",
        "<html>no</html>",
        "{}",
        "[" * 9000,
        "[" * 900 + "]" * 900,
        {"error": None},
        {"error": {"code": 1}},
    ],
)
def test_a_server_that_says_nothing_is_not_quoted(body: object) -> None:
    """A page of HTML says nothing either."""
    assert server_words(body, SENT) == ""


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("cannot read 'my cat is called Momo'", "cannot read '…'"),
        ("cannot read: cat is called Mo...", "cannot read: …..."),
        ('bad token "phone"', 'bad token "…"'),
        ("Momo is not allowed, nor 7391", "… is not allowed, nor …"),
        ("bad: \\u6771\\u4eac", "bad: …"),
        ("bad 東京タワ", "bad …"),
        ("no use of key-abcd", "no use of …"),
        ("The one model is of no use", "The one model is of no use"),
        ("limit is 512 tokens", "limit is 512 tokens"),
    ],
)
def test_what_was_sent_is_left_out(said: str, shown: str) -> None:
    """Also in part, escaped, or as one word that is telling; usual words may stand."""
    assert server_words({"error": {"message": said}}, SENT) == f": {shown}"


def test_secrets_are_masked_and_much_is_shortened() -> None:
    """Whoever's they are."""
    said = server_words("key ghp_1234567890abcdefghijABCDEFGHIJ123456 " + "very " * 100, SENT)

    assert "ghp_" not in said
    assert len(said) <= LONGEST + 2
    assert said.endswith("…")

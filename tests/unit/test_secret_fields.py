"""Secrets in short fields and in nested JSON, where the name of a field announces what it holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.nouns.metadata import Json
from omoide.text.secrets import mask_secrets
from omoide.text.secrets.fields import has_key, mask_json, mask_line
from omoide.text.secrets.labels import secret_of

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

HIDDEN: tuple[dict[str, Json], ...] = (
    {"password": "swordfish"},
    {"db_password": "x"},
    {"dbPassword": "swordfish"},
    {"DB-PASSWORD": "swordfish"},
    {"apiKey": "abc"},
    {"X-Api-Key": "abc"},
    {"clientSecret": "abc"},
    {"Authorization": "abc"},
    {"mot_de_passe": "soleil"},
    {"密码": "abc"},
    {"пароль": "рыба"},
    {"passwords": ["one", "two"]},
    {"pin": "4821"},
    {"pin": 4821},
    {"token": "a8f7d9b1c3e5f7a9b2d4"},
    {"env": [{"name": "DB_PASSWORD", "value": "swordfish"}]},
    {"a": [{"b": {"refresh_token": "abc"}}]},
    {"note": f"deployed with {TOKEN}"},
    {TOKEN: True},
)
KEPT: tuple[dict[str, Json], ...] = (
    {"password": ""},
    {"password": None},
    {"password_required": True},
    {"password": "<redacted>"},
    {"password_hint": "the dog"},
    {"max_tokens": 4096},
    {"token": "apple"},
    {"tokens": ["an", "apple"]},
    {"key": "C major"},
    {"public_key": "AAAAB3NzaC1yc2EAAAADAQABAAABgQ"},
    {"key": "PROJ-1234"},
    {"id": "550e8400-e29b-41d4-a716-446655440000"},
    {"sha": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"},
    {"pin": 3},
    {"postal_code": "12345"},
    {"pwd": "/home/ana"},
    {"secret": "no"},
    {"name": "Ana", "value": "swordfish"},
)


@pytest.mark.parametrize("metadata", HIDDEN)
def test_what_a_field_is_named_for_is_masked(metadata: Any) -> None:
    """Whatever the value looks like, on every level, in any spelling; and what is a secret by
    itself is masked anywhere.
    """
    masked = repr(mask_json(metadata))

    assert "[secret: " in masked
    for secret in (
        "swordfish",
        "'abc'",
        "'x'",
        "soleil",
        "рыба",
        "'one'",
        "'two'",
        "4821",
        "a8f7d9",
        TOKEN,
    ):
        assert secret not in masked


@pytest.mark.parametrize("metadata", KEPT)
def test_what_only_sounds_like_it_is_kept(metadata: Any) -> None:
    """Counts, hints, words that are called tokens, folders, public keys, ids."""
    assert mask_json(metadata) == metadata


def test_keys_that_mask_alike_stay_apart() -> None:
    """No value is lost."""
    other = TOKEN.replace("a1", "b2")
    assert mask_json({TOKEN: 1, other: 2}) == {
        "[secret: github-token]": 1,
        "[secret: github-token] 2": 2,
    }


@pytest.mark.parametrize(
    "id",
    [
        "session-" + "a1b2c3d4" * 4,
        "sess-" + "a1b2c3d4" * 4,
        "forgot-password-thread-8f3a2b1c",
        "4111111111111111",
        "user:ana",
        "slack:C0123/p1",
    ],
)
def test_an_id_that_may_be_random_is_none_of_them(id: str) -> None:
    """Only what nothing else looks like counts, as refusing somebody's ids would stop their
    program.
    """
    assert not has_key(id)
    assert has_key(TOKEN)
    assert has_key(f"user:{TOKEN}")


json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=30)
    | st.sampled_from(["hunter2", TOKEN, "password is hunter2"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["password", "n", "key", TOKEN, "name", "value"]) | st.text(max_size=8),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json)
def test_masking_again_changes_nothing(value: Any) -> None:
    """What is stored can be loaded and scanned, and stays as it is."""
    once = mask_json(value)
    assert mask_json(once) == once


@given(st.text(max_size=60))
def test_a_line_is_masked_once(text: str) -> None:
    """And so is a short text; looking for what a field is named for never fails."""
    assert mask_line(mask_line(text)) == mask_line(text)
    secret_of(text)


@pytest.mark.parametrize(
    "table",
    [
        (
            "| user | password | since |\n|---|---|---|\n| ana | v3lv3t3 | May |\n| bo | swordfish"
            " | June |\n"
        ),
        "name,url,username,password\nGitHub,https://github.com,ana,v3lv3t3\nMail,https://mail.example,ana,swordfish",
        "Konto;Passwort\nBank;v3lv3t3\nMail;swordfish\n",
        "账号\t密码\nana\tv3lv3t3\nbo\tswordfish",
    ],
)
def test_a_column_named_for_a_secret_is_masked(table: str) -> None:
    """In every row, whatever the values look like; the other columns stay."""
    masked = mask_secrets(table).text

    assert "v3lv3t3" not in masked
    assert "swordfish" not in masked
    assert masked.count("[secret: password]") == 2
    assert masked.count("\n") == table.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "| setting | meaning |\n|---|---|\n| password | asked for at the start |\n",
        "I went home, the password was fine,\nand then I slept, ate, slept",
        "user,password_hint\nana,the dog\nbo,the cat",
        "| user | password |\n|---|---|\n| ana | <redacted> |\n| bo |  |\n",
    ],
)
def test_other_tables_stay(text: str) -> None:
    """Rows, prose with commas, hints, stand-ins."""
    assert mask_secrets(text).text == text

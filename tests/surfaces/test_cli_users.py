"""The commands of who writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omoide.cli import run
from omoide.nouns.errors import NotFound
from tests.surfaces.test_cli import Omoide, home, omoide

__all__ = ["home", "omoide"]
pytestmark = pytest.mark.covers("AD-29")


def test_senders_are_linked_merged_listed_and_unlinked(omoide: Omoide) -> None:
    """Each command says what is so now, to people and to programs."""
    assert "is ana" in omoide("users", "link", "mail", "ana@example.org", "ana").out
    assert omoide("users", "of", "mail", "ana@example.org", "--json").json["id"] == "ana"
    assert "a user of its own" in omoide("users", "of", "sms", "912").out
    assert omoide("users", "merge", "sms:912", "ana", "--json").json == {"senders": 1}
    assert [one["sender"] for one in omoide("users", "senders", "--json").json] == [
        "ana@example.org",
        "912",
    ]
    assert "sms:912" in omoide("users", "unlink", "sms", "912").out
    assert omoide("users", "senders").out.count("ana@example.org") == 1


def test_a_sender_that_is_another_user_is_refused(omoide: Omoide) -> None:
    """With the exit code of the error, and what to do; one that is not linked cannot be
    unlinked.
    """
    omoide("users", "link", "mail", "ana@example.org", "ana")

    taken = omoide("users", "link", "mail", "ana@example.org", "ben")
    assert taken.code != 0
    assert "unlink it first" in taken.err
    for command in (("unlink", "mail", "ben@example.org"), ("merge", "eve", "ben")):
        missing = omoide("users", *command)
        assert missing.code == NotFound.exit_code
        assert "omoide users senders" in missing.err
        assert "--user" not in missing.err  # which these commands do not heed


def test_the_owner_of_a_store_sees_its_users(
    omoide: Omoide, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of them, with their zones; with a user named before the command that user alone."""
    omoide("remember", "Ana drinks green tea")
    omoide("users", "edit", "ben", "--zone", "Europe/Lisbon")

    assert omoide("users", "list").out == "ana\n"
    assert run(["users", "list"]) == 0
    assert capsys.readouterr().out == "ana\nben  Europe/Lisbon\n"
    assert "nothing is stored of eve" in omoide("--user", "eve", "users", "list").out
    assert "omoide users list shows" in omoide("users", "forget", "eve", "--yes").err


def test_a_list_for_one_user_has_their_senders_alone(
    omoide: Omoide, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Named before the command; whose the settings say the memory is, that is no question for one
    user.
    """
    omoide("users", "link", "mail", "ana@example.org", "ana")
    omoide("users", "link", "mail", "ben@example.org", "ben")

    assert [
        one["scope"]["user"] for one in omoide("--user", "ben", "users", "senders", "--json").json
    ] == ["ben"]
    assert "no sender of eve is linked" in omoide("--user", "eve", "users", "senders").out
    monkeypatch.setenv("OMOIDE_USER", "ana")
    assert run(["users", "senders", "--json"]) == 0
    assert [one["scope"]["user"] for one in json.loads(capsys.readouterr().out)] == ["ana", "ben"]


def test_logged_talk_is_of_the_users_that_its_channel_links(omoide: Omoide, tmp_path: Path) -> None:
    """Where it is told through which channel it came."""
    omoide("users", "link", "mail", "ben@example.org", "ben")
    talk = tmp_path / "talk.jsonl"
    talk.write_text('{"content": "I keep bees", "name": "ben@example.org"}\n', "utf-8")

    assert omoide("--session", "plain", "ingest", str(talk)).code == 0
    assert omoide("--session", "mailed", "ingest", str(talk), "--channel", "mail").code == 0
    said = {
        name: omoide("--session", name, "--user", "ben", "sessions", "turns", "--json").json
        for name in ("plain", "mailed")
    }
    assert {name: [turn["user"] for turn in turns] for name, turns in said.items()} == {
        "plain": [],
        "mailed": ["ben"],
    }


@pytest.mark.covers("AD-39")
def test_a_users_memory_is_listed_and_wiped_from_the_terminal(
    omoide: Omoide, tmp_path: Path
) -> None:
    """Of the user named before the command, as text or JSON; wiping asks first, and leaves the talk
    and other users' memories.
    """
    talk = tmp_path / "talk.jsonl"
    talk.write_text('{"role": "user", "content": "The ferry leaves at noon"}', "utf-8")
    assert omoide("--session", "s", "ingest", str(talk)).code == 0
    for user in ("ana", "ben"):
        assert omoide("--user", user, "remember", f"{user} likes green tea").code == 0
    listed = omoide("--user", "ana", "items", "list", "--json").json
    assert [one["text"] for one in listed["items"]] == ["ana likes green tea"]
    assert "ana likes green tea" in omoide("--user", "ana", "items", "list").out

    unasked = omoide("--user", "ana", "admin", "erase", "items")
    assert unasked.code != 0
    erased = omoide("--user", "ana", "admin", "erase", "items", "--yes", "--json").json["erased"]
    assert erased["items"] == 1
    assert omoide("--user", "ana", "items", "list", "--json").json["items"] == []
    assert "ben likes green tea" in omoide("--user", "ben", "items", "list").out
    assert "ferry leaves" in omoide("sessions", "turns", "s").out

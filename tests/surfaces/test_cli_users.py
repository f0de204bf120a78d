"""The commands of who writes."""

from __future__ import annotations

import pytest

from omoide.errors import NotFound
from tests.surfaces.test_cli import Omoide, home, omoide

__all__ = ["home", "omoide"]
pytestmark = pytest.mark.covers("AD-29")


def test_senders_are_linked_merged_listed_and_unlinked(omoide: Omoide) -> None:
    """Each command says what is so now, to people and to programs."""
    assert "is ana" in omoide("users", "link", "mail", "ana@example.org", "ana").out
    assert omoide("users", "who", "mail", "ana@example.org", "--json").json["id"] == "ana"
    assert "a user of its own" in omoide("users", "who", "sms", "912").out
    assert omoide("users", "merge", "sms:912", "ana", "--json").json == {"senders": 1}
    assert [one["sender"] for one in omoide("users", "list", "--json").json] == ["ana@example.org", "912"]
    assert "sms:912" in omoide("users", "unlink", "sms", "912").out
    assert omoide("users", "list").out.count("ana@example.org") == 1


def test_a_sender_that_is_another_user_is_refused(omoide: Omoide) -> None:
    """With the exit code of the error, and what to do; one that is not linked cannot be unlinked."""
    omoide("users", "link", "mail", "ana@example.org", "ana")

    taken = omoide("users", "link", "mail", "ana@example.org", "ben")
    assert taken.code != 0
    assert "unlink it first" in taken.err
    for command in (("unlink", "mail", "ben@example.org"), ("merge", "eve", "ben")):
        missing = omoide("users", *command)
        assert missing.code == NotFound.exit_code
        assert "omoide users list" in missing.err
        assert "--user" not in missing.err  # which these commands do not heed

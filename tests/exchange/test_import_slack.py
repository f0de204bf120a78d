"""Slack exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from omoide.exchange import detect_format
from omoide.nouns.errors import InvalidInput
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Role
from tests.exchange.exports import FIXTURES, read, sample, texts, zipped


def fixture(**options: Any) -> dict[str, Conversation]:
    conversations, problems = read(FIXTURES / "slack", **options)
    assert not problems
    return {conversation.title: conversation for conversation in conversations}


def export(
    path: Path, *messages: Any, users: list[Any] | None = None, files: dict[str, Any] | None = None
) -> Path:
    """A zip of one channel and one day, wrapped in a folder as some systems do."""
    lists = {"x/channels.json": [{"id": "C1", "name": "general"}], "x/users.json": users or []}
    return zipped(path, {**lists, "x/general/2026-01-05.json": [*messages], **(files or {})})


def test_a_channel_is_one_conversation_over_all_its_days() -> None:
    """Names, marks, threads, edits, bots and files of a small workspace."""
    channel = fixture()["#general"]

    assert channel.id == "slack:C1"
    assert [(m.role.value, m.speaker, m.text) for m in channel.messages] == [
        ("system", "Bo Ek", "@Bo Ek has joined the channel"),
        (
            "user",
            "Ana",
            "Hi @Bo Ek, see the plan (https://example.org/a?b=1&c=2) in #general <soon> @here",
        ),
        ("user", "Bo Ek", "はい"),
        ("tool", "deploys", "Deployed\nv2 (https://example.org)"),
        ("tool", "ci-bot", "Build is green"),
        ("user", "Ana (ana2)", "Nice"),
    ]
    assert channel.messages[2].metadata == {
        "thread": channel.messages[1].key,
        "edited_at": "2026-01-05T09:02:10+00:00",
    }
    assert channel.metadata["left_out"] == {"attachment": 1, "deleted": 1}


def test_times_are_told_where_the_speaker_lives() -> None:
    """The people list gives each one's zone; fractions of a second are exact."""
    at = fixture()["#general"].messages[2].at

    assert at is not None
    assert at.isoformat() == "2026-01-05T18:02:00.000300+09:00"


def test_a_direct_message_is_titled_by_its_people() -> None:
    """And strangers are called what their message says."""
    direct = fixture()["Ana, Bo Ek"]

    assert direct.metadata["kind"] == "direct"
    assert [m.speaker for m in direct.messages] == ["Bo Ek", "Guest Gil"]


def test_the_user_is_found_by_name_handle_mail_or_id() -> None:
    """Only their own messages carry the user id."""
    for me in ("U1", "ana@example.org", "Ana Lima"):
        users = {
            m.speaker: m.user
            for m in fixture(me=me, user="ana-id")["#general"].messages
            if m.role is Role.USER
        }
        assert users == {"Ana": "ana-id", "Bo Ek": None, "Ana (ana2)": None}


def test_a_name_two_people_have_is_asked_about() -> None:
    """Rather than giving one person's words to another."""
    with pytest.raises(InvalidInput, match="U1, U3"):
        fixture(me="Ana", user="ana-id")


def test_somebody_who_never_speaks_is_reported() -> None:
    """With the names that do occur."""
    _, problems = read(FIXTURES / "slack", me="Nobody", user="n")

    assert [str(p) for p in problems] == [
        "participants: 'Nobody' says nothing here; there are: Bo Ek, Guest Gil, Ana, Ana (ana2)"
    ]


def test_broken_messages_cost_only_themselves(tmp_path: Path) -> None:
    """No time stamp, nulls, repeated stamps, a broken day."""
    path = export(
        tmp_path / "s.zip",
        None,
        {"user": "U1", "text": "no stamp"},
        {"user": None, "text": None, "ts": "1767603600.1"},
        {"user": "U1", "text": "hello", "ts": "1767603600.2"},
        {
            "user": "U1",
            "text": "hello again, broadcast from its thread",
            "ts": "1767603600.2",
            "subtype": "thread_broadcast",
        },
        files={
            "x/general/2026-01-06.json": '[{"user":"U1","text":"next","ts":"1767690000.1"}, {"us',
            "x/channels.json": "null",
        },
    )

    conversations, problems = read(path)

    assert [texts(c.messages) for c in conversations] == [["hello", "next"]]
    assert [p.place for p in problems] == [
        "x/channels.json",
        "x/general/2026-01-05.json: message 1",
        "x/general/2026-01-05.json: message 2",
        "x/general/2026-01-06.json: from message 2 on",
    ]
    assert detect_format(path) == "slack"


def test_old_file_comments_are_read(tmp_path: Path) -> None:
    """Exports from before 2018 put a notice in the text and the words elsewhere."""
    path = export(
        tmp_path / "s.zip",
        {
            "subtype": "file_share",
            "user": "U1",
            "text": "<@U1> uploaded a file",
            "file": {"name": "a.js"},
            "ts": "1.1",
        },
        {
            "subtype": "file_share",
            "user": "U1",
            "text": "…",
            "file": {"name": "b", "initial_comment": {"comment": "look"}},
            "ts": "2.1",
        },
        {
            "subtype": "file_comment",
            "text": "…",
            "comment": {"user": "U2", "comment": "nice"},
            "file": {"name": "b"},
            "ts": "3.1",
        },
        users=[{"id": "U1", "name": "ana"}, {"id": "U2", "name": "bo"}],
    )

    conversations, _ = read(path)

    assert [(m.speaker, m.text) for m in conversations[0].messages] == [
        ("ana", "look"),
        ("bo", "nice"),
    ]


def test_the_sample_reads_whole() -> None:
    """A public workspace: two channels, no problem, three files without words left out."""
    conversations, problems = read(sample("slack_slack-export-viewer/testarchive.zip"))

    assert {c.title: len(c.messages) for c in conversations} == {
        "#enrique": 102,
        "#traveling-sailor": 53,
    }
    assert conversations[1].metadata["left_out"] == {"attachment": 3}
    assert not problems


def test_words_that_stand_in_blocks_or_cards_alone_are_read(tmp_path: Path) -> None:
    """Whoever says them: laid out in blocks, or in a message that was shared without a word."""
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Rota"}},
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_section",
                    "elements": [
                        {"type": "text", "text": "Ask "},
                        {"type": "user", "user_id": "U1"},
                        {"type": "text", "text": " on Friday, see "},
                        {"type": "link", "url": "https://example.org/rota"},
                    ],
                }
            ],
        },
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "Early: Bo"}]},
        {"type": "divider"},
    ]
    shared = [{"title": "From Kim", "text": "The cellar is flooded", "fallback": "[…]"}]
    path = export(
        tmp_path / "x.zip",
        {"type": "message", "ts": "1.1", "user": "U1", "text": "", "blocks": blocks},
        {"type": "message", "ts": "2.1", "user": "U1", "text": "", "attachments": shared},
        {"type": "message", "ts": "3.1", "user": "U1", "text": "Hi", "blocks": blocks},
        users=[{"id": "U1", "real_name": "Ana"}],
    )
    ((conversation,), problems) = read(path)

    assert not problems
    assert texts(conversation.messages) == [
        "Rota\nAsk @Ana on Friday, see https://example.org/rota\nEarly: Bo",
        "From Kim\nThe cellar is flooded",
        "Hi",
    ]
    assert conversation.metadata["left_out"] == {"words in blocks.elements.elements.text": 1}

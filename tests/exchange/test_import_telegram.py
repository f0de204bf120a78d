"""Telegram exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from omoide.nouns.errors import InvalidInput
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Role
from tests.exchange.exports import FIXTURES, read, read_one, sample, texts, written


def fixture(**options: Any) -> dict[str, Conversation]:
    conversations, problems = read(FIXTURES / "telegram", **options)
    assert not problems
    return {conversation.title: conversation for conversation in conversations}


def message(id: int | None, text: Any, sender: str = "Ana", **fields: Any) -> dict[str, Any]:
    body = {
        "type": "message",
        "date": "2026-01-05T10:00:00",
        "date_unixtime": "1767603600",
        "from": sender,
        "text": text,
        **fields,
    }
    return body if id is None else {"id": id, **body}


def test_every_chat_of_an_account_is_read() -> None:
    """Text in pieces, captions, replies, edits and service messages; media alone are counted."""
    chats = fixture()
    personal = chats["Bo Ek"]

    assert set(chats) == {"Bo Ek", "Quiz", "Old club"}
    assert [(m.role.value, m.speaker, m.key, m.text) for m in personal.messages] == [
        ("user", "Ana", "1", "Olá"),
        ("user", "Bo Ek", "2", "See the plan (https://example.org/) today"),
        ("user", "Ana", "3", "our cat"),
        ("system", "Bo Ek", "5", "Bo Ek phone call"),
    ]
    assert personal.messages[1].metadata == {
        "reply_to": "1",
        "edited_at": "2026-01-05T09:02:00+00:00",
    }
    assert personal.metadata["left_out"] == {"attachment": 1}
    assert texts(chats["Old club"].messages) == ["Ana create group: Old club: Ana, Deleted Account"]


def test_the_offset_comes_from_comparing_both_times() -> None:
    """Summer and winter alike."""
    chats = fixture()

    assert [m.at.isoformat() for m in chats["Bo Ek"].messages[:1] if m.at] == [
        "2026-01-05T10:00:00+01:00"
    ]
    assert [m.at.isoformat() for m in chats["Quiz"].messages[:1] if m.at] == [
        "2026-07-05T11:00:00+01:00"
    ]


def test_the_owner_of_an_account_is_the_user() -> None:
    """The export says whose it is, so only user need be given; a bot's part is the assistant's."""
    quiz = fixture(user="ana-id")["Quiz"]

    assert [(m.role, m.user, m.text) for m in quiz.messages] == [
        (Role.ASSISTANT, None, "Ready?"),
        (Role.USER, "ana-id", "👍"),
    ]


def test_a_name_two_people_have_is_asked_about(tmp_path: Path) -> None:
    """Rather than giving one person's words to another."""
    path = written(
        tmp_path / "result.json",
        {"messages": [message(1, "a", from_id="user1"), message(2, "b", from_id="user2")]},
    )

    with pytest.raises(InvalidInput, match="user1, user2"):
        read(path, me="ana", user="x")
    assert [m.user for m in read_one(path, me="user2", user="x").messages] == [None, "x"]


def test_local_times_need_a_zone(tmp_path: Path) -> None:
    """Exports from before 2021 have no time stamps; the zone is asked for, never guessed."""
    old = {"name": "Bo", "messages": [message(1, "hi", date_unixtime=None)]}
    path = written(tmp_path / "result.json", old)

    with pytest.raises(InvalidInput) as asked:
        read(path)
    assert asked.value.field == "zone"
    assert str(read_one(path, zone="Asia/Tokyo").messages[0].at) == "2026-01-05 10:00:00+09:00"


def test_messages_without_ids_have_stable_keys(tmp_path: Path) -> None:
    """Equal messages in the same second stay two, in every import."""
    path = written(
        tmp_path / "result.json",
        {"name": "Bo", "messages": [message(None, "ok"), message(None, "ok")]},
    )

    first, second = read_one(path), read_one(path)

    assert first == second
    assert len({m.key for m in first.messages}) == 2


def test_broken_messages_cost_only_themselves(tmp_path: Path) -> None:
    """Wrong types, unknown kinds, no time, and a file that ends in the middle."""
    good = '{"name": "Bo", "id": 1, "type": "personal_chat", "messages": ['
    rows = (
        '{"id":1,"type":"message","date_unixtime":"1767603600","from":"A","text":"one"}, 7,'
        ' {"id":2,"type":"odd"}, '
    )
    rows += '{"id":3,"type":"message","from":"A","text":"when?"}, '
    rows += '{"id":4,"type":"message","date_unixtime":"1767603601","from":null,"text":[null,"two"]}'
    path = written(tmp_path / "result.json", good + rows + ', {"id":5,')

    conversations, problems = read(path)

    assert [(m.speaker, m.text) for c in conversations for m in c.messages] == [
        ("A", "one"),
        ("Deleted Account", "two"),
    ]
    assert [p.place for p in problems] == [
        *(f"result.json: chat 1, message {n}" for n in (2, 3, 4)),
        "result.json: from chat 1, message 6 on",
    ]


def test_the_samples_read_whole() -> None:
    """Public samples of one chat and of an account, against their own expected answers."""
    for name in ("test_single_export.json", "test_batch_export.json"):
        found = read_one(sample(f"whatsapp-telegram_chat-miner/telegram/{name}"))
        assert [(m.speaker, m.text, str(m.at)) for m in found.messages] == [
            ("Author 1", "Minimal Message", "2018-12-05 10:39:10+00:00"),
            ("Author 2", "Link:https://telegram.org/", "2018-12-05 10:49:24+00:00"),
        ]


def test_lists_and_contacts_say_something(tmp_path: Path) -> None:
    """What is to be done, and whose number was sent; a place alone has no words."""
    things = {"title": "Trip", "items": [{"id": 1, "text": "tickets"}, {"id": 2, "text": "tent"}]}
    person = {"first_name": "Rui", "last_name": "Reis", "phone_number": "+351 912"}
    chat = {
        "type": "personal_chat",
        "id": 5,
        "name": "Bo",
        "messages": [
            message(1, "", todo_list=things),
            message(2, "", contact_information=person),
            message(3, "", location_information={"latitude": 1.0}),
        ],
    }
    conversation = read_one(written(tmp_path / "result.json", chat))

    assert texts(conversation.messages) == ["Trip\n- tickets\n- tent", "Rui Reis +351 912"]
    assert conversation.metadata["left_out"] == {"empty": 1}

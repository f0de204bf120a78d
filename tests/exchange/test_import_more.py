"""Codex CLI, Discord, mail, and transcripts in Markdown and text."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from omoide.exchange import detect_format
from omoide.nouns.turn import Role
from tests.exchange.exports import FIXTURES, read, read_all, read_one, texts, written, zipped
from tests.growth import is_linear

USER, ASSISTANT, TOOL, SYSTEM = Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM
MORE = ("codex", "discord", "mail", "transcript")


@pytest.mark.parametrize("format", MORE)
def test_formats_are_found_by_content(format: str) -> None:
    """In a folder, and each file alone."""
    assert detect_format(FIXTURES / format) == format
    assert {detect_format(path) for path in (FIXTURES / format).iterdir()} == {format}


@pytest.mark.parametrize("format", MORE)
def test_an_import_gives_the_same_keys_from_folder_and_zip(format: str, tmp_path: Path) -> None:
    """So that importing again adds nothing."""
    files = {path.name: path.read_bytes() for path in (FIXTURES / format).iterdir()}
    pack = zipped(tmp_path / "export.zip", files)

    keys = [
        {(c.id, m.key) for c in read(path)[0] for m in c.messages}
        for path in (FIXTURES / format, pack)
    ]
    assert keys[0] == keys[1] != set()


def test_codex_tells_typed_words_from_those_of_the_program() -> None:
    """Tool calls and results are a tool's; what is noted twice is imported once."""
    found = read_one(FIXTURES / "codex", user="ana")

    assert found.id == "codex:5973b6c0"
    assert [(m.role, m.speaker, m.user, m.text) for m in found.messages] == [
        (USER, "ana", "ana", "Which files are here?"),
        (TOOL, "shell", None, 'shell {"command":["ls"]}'),
        (TOOL, "shell", None, "a.py\nb.py\n"),
        (ASSISTANT, "Codex", None, "Two: a.py and b.py."),
        (SYSTEM, "system", None, "The user asked for the files."),
    ]
    assert found.messages[3].metadata == {"model": "gpt-x"}
    assert (found.metadata["folder"], found.metadata["branch"]) == ("/home/ana/app", "main")
    assert found.metadata["left_out"] == {
        "message that the program wrote, or repeats": 2,
        "event_msg agent_reasoning": 1,
        "thinking": 1,
        "event_msg agent_message": 1,
        "event_msg token_count": 1,
    }


def test_broken_records_of_codex_are_named(tmp_path: Path) -> None:
    """And the rest is read, words in records without events too."""
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    good = {"timestamp": "2026-01-05T09:00:00Z", "type": "response_item", "payload": item}
    bad = good | {"payload": item | {"content": {}}}
    lines = [json.dumps(good), "{oops", json.dumps(bad), '{"type": "x"}']

    conversations, problems = read(written(tmp_path / "rollout-1.jsonl", "\n".join(lines)))

    assert [texts(c.messages) for c in conversations] == [["hi"]]
    assert [p.place for p in problems] == [f"rollout-1.jsonl: line {n}" for n in (2, 3, 4)]


def test_a_channel_of_discord_is_a_conversation() -> None:
    """With roles, replies, edits and files; the user is found by any of their names."""
    found = read_one(FIXTURES / "discord", me="ana_k", user="ana")

    assert (found.id, found.title) == ("discord:42", "#general")
    assert [(m.role, m.speaker, m.user, m.text) for m in found.messages] == [
        (SYSTEM, "Ana", None, "Joined the server."),
        (USER, "Ana", "ana", "Shall we meet on Friday?"),
        (USER, "bo", None, "Да, в шесть"),
        (TOOL, "calendar", None, "Friday\n18:00 Meeting"),
    ]
    assert found.messages[1].metadata == {
        "edited_at": "2026-01-05T09:02:00+01:00",
        "attachments": [{"name": "plan.pdf", "size": 2048}],
    }
    assert found.messages[2].metadata == {"reply_to": "101"}
    assert found.metadata["left_out"] == {"attachment": 1}
    at = found.messages[1].at
    assert at is not None
    assert at.isoformat() == "2026-01-05T09:01:00+01:00"


def test_polls_and_the_fields_of_cards_on_discord_are_read(tmp_path: Path) -> None:
    """A poll of anybody; of a bot's card all that it says."""
    person, bot = {"id": "1", "name": "ana"}, {"id": "2", "name": "ci", "isBot": True}
    poll = {"question": {"text": "Where?"}, "answers": [{"text": "Porto"}, {"text": "Faro"}]}
    card = {"title": "Build", "fields": [{"name": "State", "value": "green"}]}
    at = "2026-01-05T09:00:0{}+00:00"
    messages = [
        {
            "id": "1",
            "type": "Default",
            "timestamp": at.format(1),
            "author": person,
            "content": "",
            "poll": poll,
        },
        {
            "id": "2",
            "type": "Default",
            "timestamp": at.format(2),
            "author": bot,
            "content": "",
            "embeds": [card],
        },
    ]
    channel = {
        "guild": {"id": "1"},
        "channel": {"id": "2", "name": "all"},
        "dateRange": {},
        "messages": messages,
        "messageCount": 2,
    }
    ((conversation,), problems) = read(written(tmp_path / "G - all [2].json", channel))

    assert not problems
    assert texts(conversation.messages) == ["Where?\n- Porto\n- Faro", "Build\nState: green"]


def test_a_thread_of_mails_is_a_conversation() -> None:
    """Decoded; words of HTML, files by name, and the user by address; a mail without a date is a
    problem.
    """
    (found,), problems = read(FIXTURES / "mail", me="ANA@example.org", user="ana")

    assert found.title == "Friday"
    assert [(m.speaker, m.user, m.text) for m in found.messages] == [
        ("Ana Kim", "ana", "Shall we meet at the café?\nFrom now on I have Fridays off."),
        ("Bo Å", None, 'Yes,\nat "six"\n> Shall we?'),
    ]
    assert found.messages[1].key == "<2@example.org>"
    assert found.messages[1].metadata == {
        "attachments": [{"name": "plan.pdf", "type": "application/pdf"}],
        "from": "bo@example.org",
        "to": "Ana Kim <ana@example.org>",
    }
    assert [str(problem) for problem in problems] == ["inbox.mbox: mail 3: no date"]


def test_one_mail_alone_is_read(tmp_path: Path) -> None:
    """As mail programs save it."""
    mail = "Subject: Hi\nFrom: a@b.org\nDate: Mon, 05 Jan 2026 09:00:00 -0000\n\nHello there\n"

    assert texts(read_one(written(tmp_path / "hi.eml", mail)).messages) == ["Hello there"]


HEAD = "From: Ana <a@b.org>\nDate: Mon, 05 Jan 2026 09:00:00 +0100\nMIME-Version: 1.0\n"


def mail(head: str, body: bytes | str) -> bytes:
    """A mail with more of a head."""
    return f"{HEAD}{head}\n\n".encode() + (body if isinstance(body, bytes) else body.encode())


def both_forms(plain: str, html: str, more: str = "") -> bytes:
    """A mail in two forms."""
    parts = (
        f"Content-Type: text/plain\n\n{plain}\n",
        f"Content-Type: text/html\n\n{html}\n",
        more,
    )
    body = "".join(f"--b\n{part}" for part in parts if part) + "--b--\n"
    return mail("Content-Type: multipart/alternative; boundary=b", body)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (mail("Subject: Re: Buy some bread", ""), "Buy some bread"),
        (
            mail("Content-Type: text/html", "<p>One</p>two<table><tr><td>a</td><td>b</td></table>"),
            "One\ntwo\na b",
        ),
        (
            mail("Content-Type: text/html", "<div>x</div>\n<pre>y\nz</pre>w<br><br>v"),
            "x\ny\nz\nw\n\nv",
        ),
        (mail("Content-Type: text/plain; charset=utf-8", "Grüße".encode("latin-1")), "Grüße"),
        (mail("Content-Type: text/plain", "Grüße"), "Grüße"),
        (mail("Content-Type: text/plain; charset=x-none", "Grüße"), "Grüße"),
        (
            mail("Content-Type: text/plain; charset=utf-8", "Привет".encode() + b"\xd1"),
            "Привет\ufffd",
        ),
        (
            mail("Content-Type: text/plain; charset=gb2312", "你好，朱镕".encode("gbk") + b"!"),
            "你好，朱\ufffdF!",
        ),
        (
            mail("Content-Type: text/plain; charset=iso-2022-jp", b"\x1b$B$O$$-!\x1b(B"),
            "はい\ufffd",
        ),
        (mail("Content-Type: text/html", "<head><title>T</title><body>Come home"), "Come home"),
        (both_forms(" ", "<p>Only here are words</p>"), "Only here are words"),
        (
            mail(
                "Content-Type: multipart/mixed; boundary=b",
                "--b\n\nSee below\n--b\nContent-Type: message/rfc822\n\n"
                "Subject: Rain\n\nIt rains\n--b--",
            ),
            "See below\n\n> Rain\n>\n> It rains",
        ),
    ],
)
def test_what_a_mail_says_is_read(content: bytes, said: str, tmp_path: Path) -> None:
    """A subject alone, HTML as it is shown, other character sets, and a mail within another."""
    found = read_one(written(tmp_path / "hi.eml", content))

    assert texts(found.messages) == [said]


def test_words_of_a_mail_that_stand_in_its_html_alone_are_counted(tmp_path: Path) -> None:
    """Not those that the plain text has, in whatever lines; other parts are told by their type."""
    dates = "Content-Type: text/calendar\n\nSUMMARY:We meet at the zoo\n"
    same = both_forms("We go\nhome now", "<p>We go home now.</p>", dates)
    other = both_forms("This mail needs HTML", "<p>We go home now.</p>")

    ((found,), _, left_out) = read_all(written(tmp_path / "same" / "x.eml", same))
    assert found.messages[0].metadata["attachments"] == [
        {"name": "text/calendar", "type": "text/calendar"}
    ]
    assert not left_out
    (_, _, left_out) = read_all(written(tmp_path / "other" / "x.eml", other))
    assert [one.kind for one in left_out] == ["words in the HTML of a mail"]


def test_a_line_that_begins_as_a_mail_does_is_text(tmp_path: Path) -> None:
    """Where no head of a mail follows it."""
    one = f"From a@b.org Mon Jan  5\n{HEAD}\nHi\n\nFrom my window I see it\n\n"
    ((found, later), _) = read(
        written(tmp_path / "x.mbox", f"{one}{one.replace('09:00', '10:00')}From now")
    )

    assert texts(found.messages) == ["Hi\n\nFrom my window I see it"]
    assert texts(later.messages) == ["Hi\n\nFrom my window I see it\n\nFrom now"]


def test_a_head_without_blanks_begins_a_mail(tmp_path: Path) -> None:
    """As some servers write it; an address on the web is no head."""
    one = f"From a@b.org Mon Jan  5\nReturn-Path:<a@b.org>\n{HEAD}\nHi\n\nFrom here\nhttps://a.org\n\n"
    (found, _) = read(written(tmp_path / "x.mbox", one + one.replace("09:00", "10:00")))

    assert [texts(chat.messages) for chat in found] == [["Hi\n\nFrom here\nhttps://a.org"]] * 2


def test_both_forms_of_a_mail_are_compared_in_time_with_its_length(tmp_path: Path) -> None:
    """Though each line of one is looked for in the other."""

    def read_mail(plain: str) -> None:
        html = "".join(f"<p>{line}" for line in plain.splitlines())
        read(written(tmp_path / "hi.eml", both_forms(plain, html)))

    assert is_linear(
        read_mail, "\n".join(f"answer {n} came within a second or two" for n in range(30_000))
    )


def test_files_beside_transcripts_are_counted(tmp_path: Path) -> None:
    """In which nobody is named as a speaker."""
    written(tmp_path / "talk.md", "User: Where?\nAssistant: Here.\n")
    written(tmp_path / "notes.md", "these are words of mine\n")
    (found, _, left_out) = read_all(tmp_path)

    assert [len(one.messages) for one in found] == [2]
    assert [(one.kind, one.count, one.place) for one in left_out] == [("file", 1, "notes.md")]


def test_a_transcript_is_told_by_its_headings(tmp_path: Path) -> None:
    """Its first style counts; other headings and code are text, and the time is the file's."""
    path = written(tmp_path / "Moving.md", (FIXTURES / "transcript" / "Moving.md").read_bytes())
    os.utime(path, (1_767_603_600, 1_767_603_600))

    found = read_one(path, user="ana")

    assert found.title == "Moving to Lisbon"
    assert [(m.speaker, m.user, m.text.splitlines()[0]) for m in found.messages] == [
        ("ana", "ana", "I moved to Lisbon. How do I say hello?"),
        ("Assistant", None, "Olá! There are **several** ways."),
        ("ana", "ana", "Thanks"),
    ]
    assert found.messages[0].text.endswith("is no speaker here\n```")
    assert found.messages[1].text.endswith("- Bom dia")
    assert {m.metadata["time"] for m in found.messages} == {"estimated"}
    assert {m.at.isoformat() for m in found.messages if m.at} == {"2026-01-05T09:00:00+00:00"}


@pytest.mark.parametrize(
    "text",
    [
        "You said:\nWhere?\nChatGPT said:\nHere.\n",
        "**User:** Where?\n\n**Assistant:** Here.\n",
        "**You**\n\nWhere?\n\n**Claude**\n\nHere.\n",
        "model: gpt-x\n\n### 🧑 Human\n\nWhere?\n\n### 🤖 AI\n\nHere.\n",
        "Human: Where?\nAssistant: Here.\n",
    ],
)
def test_speakers_are_marked_in_many_ways(text: str, tmp_path: Path) -> None:
    """Of headings, bold names, names before a colon, and text copied from a page."""
    found = read_one(written(tmp_path / "talk.txt", text))

    assert [(m.role, m.text) for m in found.messages] == [(USER, "Where?"), (ASSISTANT, "Here.")]


MAIL = "From: Ana <ana@example.org>\nDate: Mon, 05 Jan 2026 09:00:00 +0000\n"


@pytest.mark.parametrize(
    "head", ["Subject: Hi", "To: " + "(" * 5_000, "Content-Type: text/plain; " + "(" * 5_000]
)
def test_a_header_that_cannot_be_parsed_leaves_the_mail(head: str, tmp_path: Path) -> None:
    """It counts as empty, and the words are imported."""
    file = written(tmp_path / "hi.eml", f"{MAIL}{head}\n\nHello there\n")

    assert texts(read_one(file).messages) == ["Hello there"]


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("<p>Hello</p><![<![ there> you", "Hello\nyou"),
        ("<![if !mso]><p>Hello</p><![endif]>", "Hello"),
        ("Hello <!-- <b>there</b>", "Hello <!-- there"),
        ("Salt &amp; pepper, 1 < 2 &amp", "Salt & pepper, 1 < 2 &"),
    ],
)
def test_the_words_of_a_damaged_page_are_kept(page: str, words: str, tmp_path: Path) -> None:
    """Sections in square brackets are passed over, and what nothing ends is text."""
    file = written(tmp_path / "hi.eml", f"{MAIL}Content-Type: text/html\n\n{page}\n")

    assert texts(read_one(file).messages) == [words]


@pytest.mark.parametrize("unit", ["<a", "<!--", "<![", "<a b='", "&", "</a", "<?", "<p>"])
def test_a_page_is_read_in_linear_time(unit: str, tmp_path: Path) -> None:
    """Also where nothing ends its tags and comments."""

    def read_mail(page: str) -> None:
        read(written(tmp_path / "hi.eml", f"{MAIL}Content-Type: text/html\n\nHello {page}"))

    assert is_linear(read_mail, unit * (40_000 // len(unit)))

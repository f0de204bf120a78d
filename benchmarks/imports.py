"""What reading chat exports costs for each message: every format, nothing stored.

    python -m benchmarks.imports                    every format, 10,000 messages of 18 words
    python -m benchmarks.imports 60000 slack mail   so many messages of some formats

Each export holds a long conversation of two people, or of a person and an assistant; those of
ChatGPT and Claude.ai hold several. Behind the
figure in brackets: what parsing the same records with ``json`` alone takes.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.figures import say
from benchmarks.texts import sentences
from omoide.exchange import ImportOptions, read_export
from omoide.nouns.session import Conversation

MESSAGES = 10_000
CHAT = 500  # messages of a conversation of ChatGPT or Claude.ai, which is held as a whole
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
GOAL = "100 µs"


@dataclass(frozen=True)
class Said:
    """A message: its number, when it was said, whether by the first of the two, and the text."""

    n: int
    at: datetime
    first: bool
    text: str

    @property
    def iso(self) -> str:
        return self.at.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    @property
    def seconds(self) -> int:
        return int(self.at.timestamp())

    def either(self, first: Any, second: Any) -> Any:
        """What belongs to the one who says it."""
        return first if self.first else second


Talk = list[Said]
Write = Callable[[Path, Talk], Path]


def talk(count: int) -> Talk:
    """A talk of so many messages, each ten seconds after the one before."""
    texts = sentences(count)
    return [
        Said(n, START + timedelta(seconds=10 * n), n % 2 == 0, f"{text}.")
        for n, text in enumerate(texts)
    ]


def as_json(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    return path


def as_lines(path: Path, records: Iterable[object]) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), "utf-8")
    return path


def chatgpt(folder: Path, said: Talk) -> Path:
    chats = [said[start : start + CHAT] for start in range(0, len(said), CHAT)]
    return as_json(folder / "conversations.json", [tree_of(chat) for chat in chats])


def tree_of(said: Talk) -> dict[str, Any]:
    """A conversation of ChatGPT: messages by their ids, each with its parent and children."""
    id, first, last = f"c{said[0].n}", f"m{said[0].n}", f"m{said[-1].n}"
    nodes: dict[str, Any] = {
        "root": {"id": "root", "message": None, "parent": None, "children": [first]}
    }
    for one in said:
        message = {
            "id": f"m{one.n}",
            "author": {"role": one.either("user", "assistant"), "name": None, "metadata": {}},
            "create_time": one.seconds,
            "content": {"content_type": "text", "parts": [one.text]},
            "status": "finished_successfully",
            "weight": 1.0,
            "metadata": {"model_slug": "x"},
            "recipient": "all",
        }
        nodes[f"m{one.n}"] = {
            "id": f"m{one.n}",
            "message": message,
            "parent": "root" if f"m{one.n}" == first else f"m{one.n - 1}",
            "children": [] if f"m{one.n}" == last else [f"m{one.n + 1}"],
        }
    chat = {"title": "Talk", "create_time": said[0].seconds, "mapping": nodes}
    return chat | {"current_node": last, "conversation_id": id, "id": id}


def claude_ai(folder: Path, said: Talk) -> Path:
    messages = [
        {
            "uuid": f"m{one.n}",
            "text": one.text,
            "content": [{"type": "text", "text": one.text, "citations": []}],
            "sender": one.either("human", "assistant"),
            "created_at": one.iso,
            "updated_at": one.iso,
            "attachments": [],
            "files": [],
        }
        for one in said
    ]
    times = {"created_at": said[0].iso, "updated_at": said[0].iso}
    as_json(folder / "users.json", [{"uuid": "u1", "full_name": "Ana"}])
    chats = [
        {"uuid": f"c{n}", "name": "Talk", **times, "chat_messages": messages[n : n + CHAT]}
        for n in range(0, len(messages), CHAT)
    ]
    as_json(folder / "conversations.json", chats)
    return folder


def claude_code(folder: Path, said: Talk) -> Path:
    records = (
        {
            "parentUuid": f"u{one.n - 1}" if one.n else None,
            "isSidechain": False,
            "sessionId": "s1",
            "cwd": "/app",
            "type": one.either("user", "assistant"),
            "message": {
                "role": one.either("user", "assistant"),
                "content": one.either(one.text, [{"type": "text", "text": one.text}]),
                **one.either({}, {"id": f"msg_{one.n}", "type": "message", "model": "x"}),
            },
            "uuid": f"u{one.n}",
            "timestamp": one.iso,
        }
        for one in said
    )
    return as_lines(folder / "s1.jsonl", records)


def codex(folder: Path, said: Talk) -> Path:
    meta = {"id": "s1", "timestamp": said[0].iso, "cwd": "/app", "cli_version": "0.90.0"}
    head = {"timestamp": said[0].iso, "type": "session_meta", "payload": meta}
    records = (
        {
            "timestamp": one.iso,
            "type": "response_item",
            "payload": {
                "type": "message",
                "role": one.either("user", "assistant"),
                "content": [{"type": one.either("input_text", "output_text"), "text": one.text}],
            },
        }
        for one in said
    )
    return as_lines(folder / "rollout-2026-01-05T09-00-00-s1.jsonl", [head, *records])


def gemini_cli(folder: Path, said: Talk) -> Path:
    head = {"sessionId": "s1", "projectHash": "79b6fa", "startTime": said[0].iso, "kind": "main"}
    records = (
        {
            "id": f"m{one.n}",
            "timestamp": one.iso,
            "type": one.either("user", "gemini"),
            "content": one.either([{"text": one.text}], one.text),
        }
        for one in said
    )
    return as_lines(folder / "session-2026-01-05T09-00-s1.jsonl", [head, *records])


def discord(folder: Path, said: Talk) -> Path:
    messages = [
        {
            "id": str(one.n + 1),
            "type": "Default",
            "timestamp": one.iso,
            "content": one.text,
            "author": {"id": one.either("1", "2"), "name": one.either("ana", "bo")},
            "attachments": [],
            "embeds": [],
            "reactions": [],
            "mentions": [],
        }
        for one in said
    ]
    channel = {"id": "42", "type": "DirectTextChat", "name": "bo"}
    chat = {"guild": {"id": "0", "name": "Direct Messages"}, "channel": channel}
    return as_json(folder / "Direct Messages - bo [42].json", {**chat, "messages": messages})


def instagram(folder: Path, said: Talk) -> Path:
    messages = [
        {
            "sender_name": one.either("Ana", "Bo"),
            "timestamp_ms": 1_000 * one.seconds,
            "content": one.text,
            "is_geoblocked_for_viewer": False,
        }
        for one in reversed(said)
    ]
    people = [{"name": "Bo"}, {"name": "Ana"}]
    chat = {"participants": people, "title": "Bo", "thread_path": "inbox/bo_17"}
    place = folder / "messages" / "inbox" / "bo_17" / "message_1.json"
    as_json(place, {**chat, "messages": messages})
    return folder


def telegram(folder: Path, said: Talk) -> Path:
    messages = [
        {
            "id": one.n + 1,
            "type": "message",
            "date": one.at.strftime("%Y-%m-%dT%H:%M:%S"),
            "date_unixtime": str(one.seconds),
            "from": one.either("Ana", "Bo"),
            "from_id": one.either("user101", "user202"),
            "text": one.text,
            "text_entities": [{"type": "plain", "text": one.text}],
        }
        for one in said
    ]
    chat = {"name": "Bo", "type": "personal_chat", "id": 202, "messages": messages}
    me = {"user_id": 101, "first_name": "Ana"}
    export = {"personal_information": me, "chats": {"about": "", "list": [chat]}}
    return as_json(folder / "result.json", export)


def signal(folder: Path, said: Talk) -> Path:
    records = (
        {
            "date": one.at.strftime("%Y-%m-%dT%H:%M:%S"),
            "sender": one.either("Me", "Bo"),
            "body": f"{one.text}  ",
            "quote": "",
            "sticker": "",
            "reactions": [],
            "attachments": [],
        }
        for one in said
    )
    (folder / "Bo").mkdir()
    as_lines(folder / "Bo" / "data.json", records)
    return folder


def slack(folder: Path, said: Talk) -> Path:
    as_json(folder / "channels.json", [{"id": "C1", "name": "all", "members": ["U1", "U2"]}])
    people = [("U1", "ana", "Ana"), ("U2", "bo", "Bo")]
    as_json(
        folder / "users.json",
        [{"id": id, "name": name, "profile": {"real_name": real}} for id, name, real in people],
    )
    days: dict[str, list[dict[str, Any]]] = {}
    for one in said:
        days.setdefault(f"{one.at:%Y-%m-%d}", []).append(
            {
                "type": "message",
                "client_msg_id": f"m{one.n}",
                "user": one.either("U1", "U2"),
                "text": one.text,
                "ts": f"{one.seconds}.000100",
                "blocks": [],
            }
        )
    for day, messages in days.items():
        as_json(folder / "all" / f"{day}.json", messages)
    return folder


def mail(folder: Path, said: Talk) -> Path:
    path = folder / "inbox.mbox"
    with path.open("w", encoding="utf-8") as file:
        for one in said:
            name = one.either("ana", "bo")
            file.write(
                f"From {name}@example.org {one.at:%a %b %d %H:%M:%S %Y}\n"
                f"From: {name} <{name}@example.org>\n"
                f"To: {one.either('bo', 'ana')}@example.org\nSubject: Talk\n"
                f"Date: {one.at:%a, %d %b %Y %H:%M:%S +0000}\nMessage-ID: <{one.n}@example.org>\n"
                f"In-Reply-To: <{max(0, one.n - 1)}@example.org>\n"
                f"Content-Type: text/plain; charset=utf-8\n\n{one.text}\n\n"
            )
    return path


def whatsapp(folder: Path, said: Talk) -> Path:
    path = folder / "WhatsApp Chat with Bo.txt"
    path.write_text(
        "".join(
            f"{one.at:%d/%m/%Y, %H:%M} - {one.either('Ana', 'Bo')}: {one.text}\n" for one in said
        ),
        "utf-8",
    )
    return path


def transcript(folder: Path, said: Talk) -> Path:
    path = folder / "Talk.md"
    path.write_text(
        "".join(f"## {one.either('User', 'Assistant')}\n\n{one.text}\n\n" for one in said), "utf-8"
    )
    return path


FORMATS: dict[str, Write] = {
    write.__name__: write
    for write in (
        *(chatgpt, claude_ai, claude_code, codex, gemini_cli),
        *(discord, instagram, mail, signal, slack, telegram, transcript, whatsapp),
    )
}


def parsing_s(export: Path) -> float:
    """Seconds of the processor that ``json`` alone takes for the records of an export."""
    files = [export] if export.is_file() else [one for one in export.rglob("*") if one.is_file()]
    read = [(one.suffix, one.read_text("utf-8")) for one in files]
    begun = time.process_time()
    for suffix, text in read:
        if suffix == ".jsonl" or text.startswith('{"date"'):
            for line in text.splitlines():
                json.loads(line)
        elif suffix == ".json":
            json.loads(text)
    return time.process_time() - begun


def measure(format: str, said: Talk) -> None:
    """Read an export of a format once, and say what each message took."""
    with tempfile.TemporaryDirectory() as name:
        export = FORMATS[format](Path(name), said)
        day_first = True if format == "whatsapp" else None
        options = ImportOptions(format=format, zone="UTC", day_first=day_first)
        begun = time.process_time()
        readings = list(read_export(export, options))
        took = time.process_time() - begun
        parsing = parsing_s(export)
    held = sum(len(one.messages) for one in readings if isinstance(one, Conversation))
    assert held == len(said), (format, held, [r for r in readings if not hasattr(r, "messages")])
    each, json_each = took / held * 1e6, parsing / held * 1e6
    say(f"read {format}", held, f"{each:.0f} µs a message [json alone {json_each:.0f} µs]", GOAL)


def main(args: list[str]) -> None:
    counts = [int(arg) for arg in args if arg.isdecimal()]
    said = talk(counts[0] if counts else MESSAGES)
    for format in [arg for arg in args if not arg.isdecimal()] or FORMATS:
        measure(format, said)


if __name__ == "__main__":
    main(sys.argv[1:])

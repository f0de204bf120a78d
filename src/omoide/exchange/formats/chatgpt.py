"""ChatGPT data exports: the branch of each conversation that was last on screen.

Read: ``conversations.json`` and the split ``conversations-000.json``…, in a zip, a folder or alone,
and one conversation alone. A conversation is a tree; the branch from ``current_node`` up to the
root is imported and other branches (edited questions, regenerated answers) are not. Not read:
``shared_conversations.json``, ``message_feedback.json``, media, and the saved memories, which the
export does not hold.

Left out: hidden messages, reasoning (``thoughts``, ``reasoning_recap``). What the user told ChatGPT
about themselves stands in the conversation's metadata.
"""

from __future__ import annotations

import re

from omoide.exchange.archives import ExportFiles
from omoide.exchange.jsonstream import each_record
from omoide.exchange.options import ImportOptions
from omoide.exchange.parts import OpenConversation, digest
from omoide.exchange.problems import BadRecord, Findings, Problem
from omoide.exchange.shape import (
    Fields,
    epoch,
    keyed,
    line,
    present,
    record,
    records,
    sizes,
    text,
    words,
)
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role

FILES = re.compile(r"conversations(?:-\d+)?\.json", re.IGNORECASE)
# where none is called so: each may be one that was saved apart
OTHERS = re.compile(r".+\.json", re.IGNORECASE)

_BULK = frozenset(  # large, and of no use here
    "search_result_groups content_references citations _cite_metadata aggregate_result"
    " image_results thoughts moderation_results safe_urls blocked_urls state canvas finished_text"
    " initial_text".split()
)
# fields that tell of the program
_PASSED = frozenset("search_queries reasoning_title finish_details request_id".split())
_FACTS = {  # of a conversation, by what they are called here
    "model": "default_model_slug",
    "gizmo": "gizmo_id",
    "project": "conversation_template_id",
}
_REASONING = frozenset({"thoughts", "reasoning_recap"})
_ABOUT = ("user_profile", "user_instructions", "about_user_message", "about_model_message")
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "tool": Role.TOOL}


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """Every conversation of the export, in its order."""
    for name in source.find(FILES) or source.find(OTHERS):
        for found in each_record(source, name, "conversation", drop=_BULK, own="mapping"):
            if isinstance(found, Problem):
                yield found
            else:
                yield from _conversation(found[1], found[0], options)


def _conversation(value: Json, place: str, options: ImportOptions) -> Findings:
    fields = record(value)
    nodes = keyed(fields.get("mapping"), "id")
    chat = _chat(fields, nodes, options)
    with chat.reading(place):
        chat.fields(value, _PASSED | ({"mapping"} if nodes else frozenset()))
        if not nodes:
            raise BadRecord("has no messages")
    yield from _messages(chat, nodes, fields.text("current_node"), options)
    yield from chat.readings()


def _messages(
    chat: OpenConversation, nodes: Fields, current: str, options: ImportOptions
) -> Findings:
    """Add the messages of the branch that ends in current, and count the others."""
    place = chat.place
    branch, broken = _branch(nodes, current)
    if broken:
        yield Problem(place, broken)
    for position, node in enumerate(branch, start=1):
        with chat.reading(f"{place}, message {position}"):
            told = chat.fields(nodes[node], _PASSED)
            _add(chat, text(node), told.record("message"), options)
    for node in nodes.keys() - set(branch):
        with chat.reading(place):
            chat.fields(nodes[node], _PASSED)
            if _is_said(nodes.record(node, "message")):
                chat.leave_out("other branch", nodes[node])


def _chat(fields: Fields, nodes: Fields, options: ImportOptions) -> OpenConversation:
    """The conversation without its messages."""
    own = fields.text("conversation_id") or fields.text("id")
    title = fields.text("title")
    facts = present(**{fact: fields.line(field) for fact, field in _FACTS.items()})
    chat = OpenConversation(
        "chatgpt", own or digest(title, *sorted(nodes)), options, title=line(title), facts=facts
    )
    chat.last_at = epoch(fields.get("create_time"), options.timezone)
    chat.ends_at = epoch(fields.get("update_time"), options.timezone)
    return chat


def _is_said(message: Fields) -> bool:
    """A person or the assistant says something in a message."""
    return _author(message) in ("user", "assistant") and bool(
        _words(message.get("content"))[0].strip()
    )


def _branch(nodes: Fields, current: str) -> tuple[list[str], str]:
    """The nodes from the root to current, and what is wrong with the tree, if anything.

    Without a current node the newest message that nobody answered ends the branch.
    """
    problem = ""
    if nodes and current not in nodes:
        current, problem = _newest(nodes), "no current message; the newest branch was taken"
    branch: dict[str, None] = {}
    while current and current in nodes and current not in branch:
        branch[current] = None
        current = nodes.text(current, "parent")
    if current in branch:
        problem = "its messages form a circle"
    elif current:
        problem = f"message {current[:80]!r} is missing; the branch begins after it"
    return [*branch][::-1], problem


def _newest(nodes: Fields) -> str:
    """The newest message that nobody answered."""
    parents = {record(node).text("parent") for node in nodes.values()}
    leaves = [name for name in nodes if name not in parents] or list(nodes)
    return max(leaves, key=lambda name: _age(nodes[name]))


def _age(node: Json) -> float:
    created = epoch(record(node).at("message", "create_time"))
    return created.timestamp() if created else 0.0


def _add(chat: OpenConversation, node: str, message: Fields, options: ImportOptions) -> None:
    """Add one node's message, unless it has none or is not for the reader."""
    content = message.record("content")
    kind = content.text("content_type")
    if kind == "user_editable_context":
        chat.facts |= present(**{field: content.text(field) for field in _ABOUT})
    elif kind in _REASONING:
        chat.leave_out("thinking", message)
    elif message.at("metadata", "is_visually_hidden_from_conversation") is True:
        chat.leave_out("hidden", message)
    elif message:
        _say(chat, node, message, options)


def _say(chat: OpenConversation, node: str, message: Fields, options: ImportOptions) -> None:
    role, speaker = _speaker(message, options)
    said, files = _words(message.get("content"))
    files += [
        sizes(file.get("name"), file.get("size"), file.get("mime_type"))
        for file in message.records("metadata", "attachments")
    ]
    facts = present(attachments=files, model=message.line("metadata", "model_slug"))
    if role is Role.TOOL:
        facts |= {"tool": speaker, "result" if _author(message) == "tool" else "call": True}
    key, zone = message.text("id") or node, options.timezone
    at = epoch(message.get("create_time"), zone) or epoch(message.get("update_time"), zone)
    chat.add(said, role, speaker, at=at, key=key, is_me=role is Role.USER, facts=facts)


def _author(message: Fields) -> str:
    return message.text("author", "role")


def _speaker(message: Fields, options: ImportOptions) -> tuple[Role, str]:
    """Who speaks; an assistant that speaks to a tool makes a tool call.

    Raises:
        BadRecord: a role nobody knows.
    """
    role = _ROLES.get(_author(message))
    recipient = message.line("recipient") or "all"
    if role is None:
        raise BadRecord(f"unknown role {_author(message)[:40]!r}")
    if role is Role.ASSISTANT and recipient != "all":
        return Role.TOOL, recipient
    names = {Role.USER: options.user or "user", Role.ASSISTANT: "ChatGPT", Role.SYSTEM: "system"}
    return role, names.get(role) or message.line("author", "name") or "tool"


def _words(content: Json) -> tuple[str, list[Json]]:
    """A message's text and attachments."""
    fields = record(content)
    if fields.text("content_type") == "tether_quote":
        quote = (fields.words(field) for field in ("title", "url", "text"))
        return "\n".join(filter(None, quote)), []
    parts = fields.array("parts")
    files: list[Json] = [
        sizes(part["asset_pointer"], part.get("size_bytes"), part.get("content_type"))
        for part in records(parts)
        if part.text("asset_pointer")
    ]
    said = "\n".join(filter(str.strip, map(words, parts)))
    if said or files:
        return said, files
    fallbacks = (fields.words(field) for field in ("parts", "text", "result", "summary", "content"))
    return next(filter(str.strip, fallbacks), "") or words(content), []

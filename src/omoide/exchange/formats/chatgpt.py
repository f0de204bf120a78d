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

from omoide.exchange.archives import Source
from omoide.exchange.jsonstream import each_record
from omoide.exchange.options import CHATGPT, ImportOptions
from omoide.exchange.parts import Chat, Facts, conversation_id, digest
from omoide.exchange.problems import BadRecord, Findings, Problem
from omoide.exchange.shape import array, epoch, line, record, records, sizes, text
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role

FILES = re.compile(r"conversations(?:-\d+)?\.json", re.IGNORECASE)
# where none is called so: each may be one that was saved apart
OTHERS = re.compile(r".+\.json", re.IGNORECASE)

_BULK = frozenset(  # large, and of no use here
    "children search_result_groups content_references citations _cite_metadata aggregate_result"
    " image_results thoughts moderation_results safe_urls blocked_urls state canvas finished_text"
    " initial_text".split()
)
_REASONING = frozenset({"thoughts", "reasoning_recap"})
_ABOUT = ("user_profile", "user_instructions", "about_user_message", "about_model_message")
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "tool": Role.TOOL}


def read(source: Source, options: ImportOptions) -> Findings:
    """Every conversation of the export, in its order."""
    for name in source.find(FILES) or source.find(OTHERS):
        for found in each_record(source, name, "conversation", drop=_BULK):
            if isinstance(found, Problem):
                yield found
            else:
                yield from _conversation(found[1], found[0], options)


def _conversation(value: Json, place: str, options: ImportOptions) -> Findings:
    fields = record(value)
    nodes = record(fields.get("mapping"))
    if not nodes:
        yield Problem(place, "has no messages")
        return
    own = text(fields.get("conversation_id")) or text(fields.get("id"))
    facts: Facts = {}
    for fact, field in (
        ("model", "default_model_slug"),
        ("gizmo", "gizmo_id"),
        ("project", "conversation_template_id"),
    ):
        if line(fields.get(field)):
            facts[fact] = line(fields[field])
    identity = conversation_id(CHATGPT, own or digest(text(fields.get("title")), *sorted(nodes)))
    chat = Chat(CHATGPT, identity, options, title=line(fields.get("title")), facts=facts)
    chat.last_at = epoch(fields.get("create_time"), options.timezone)
    chat.ends_at = epoch(fields.get("update_time"), options.timezone)
    branch, broken = _branch(nodes, text(fields.get("current_node")))
    if broken:
        yield Problem(place, broken)
    for position, node in enumerate(branch, start=1):
        chat.place = f"{place}, message {position}"
        try:
            _add(chat, text(node), record(record(nodes[node]).get("message")), options)
        except BadRecord as bad:
            yield Problem(chat.place, str(bad))
    chat.place = place
    for node in nodes.keys() - set(branch):
        if _words_of(record(record(nodes[node]).get("message"))):
            chat.leave_out("other branch")
    yield from chat.readings()


def _words_of(message: Facts) -> str:
    """What a person or the assistant says in a message."""
    content = record(message.get("content"))
    said = _author(message) in ("user", "assistant") and content
    return _words(text(content.get("content_type")), content)[0].strip() if said else ""


def _branch(nodes: Facts, current: str) -> tuple[list[str], str]:
    """The nodes from the root to current, and what is wrong with the tree, if anything.

    Without a current node the newest message that nobody answered ends the branch.
    """
    problem = ""
    if current not in nodes:
        parents = {text(record(node).get("parent")) for node in nodes.values()}
        leaves = [name for name in nodes if name not in parents] or list(nodes)
        current = max(leaves, key=lambda name: _age(nodes[name]))
        problem = "no current message; the newest branch was taken"
    branch: dict[str, None] = {}
    while current:
        if current in branch:
            return [*branch][::-1], "its messages form a circle"
        if current not in nodes:
            return [*branch][
                ::-1
            ], f"message {current[:80]!r} is missing; the branch begins after it"
        branch[current] = None
        current = text(record(nodes[current]).get("parent"))
    return [*branch][::-1], problem


def _age(node: Json) -> float:
    created = epoch(record(record(node).get("message")).get("create_time"))
    return created.timestamp() if created else 0.0


def _add(chat: Chat, node: str, message: Facts, options: ImportOptions) -> None:
    """Add one node's message, unless it has none or is not for the reader."""
    if not message:
        return
    content, metadata = record(message.get("content")), record(message.get("metadata"))
    kind = text(content.get("content_type"))
    if kind == "user_editable_context":
        chat.facts.update(
            {field: text(content[field]) for field in _ABOUT if text(content.get(field))}
        )
        return
    if kind in _REASONING or metadata.get("is_visually_hidden_from_conversation") is True:
        chat.leave_out("thinking" if kind in _REASONING else "hidden")
        return
    role, speaker = _speaker(message, options)
    words, files = _words(kind, content)
    files += [
        sizes(file.get("name"), file.get("size"), file.get("mime_type"))
        for file in records(metadata.get("attachments"))
    ]
    facts: Facts = {"attachments": files} if files else {}
    if line(metadata.get("model_slug")):
        facts["model"] = line(metadata["model_slug"])
    if role is Role.TOOL:
        facts |= {"tool": speaker, "result" if _author(message) == "tool" else "call": True}
    key, zone = text(message.get("id")) or node, options.timezone
    at, changed = (epoch(message.get(f"{did}_time"), zone) for did in ("create", "update"))
    chat.add(words, role, speaker, at=at or changed, key=key, is_me=role is Role.USER, facts=facts)


def _author(message: Facts) -> str:
    return text(record(message.get("author")).get("role"))


def _speaker(message: Facts, options: ImportOptions) -> tuple[Role, str]:
    """Who speaks; an assistant that speaks to a tool makes a tool call.

    Raises:
        BadRecord: a role nobody knows.
    """
    role = _ROLES.get(_author(message))
    recipient = line(message.get("recipient")) or "all"
    if role is None:
        raise BadRecord(f"unknown role {_author(message)[:40]!r}")
    if role is Role.ASSISTANT and recipient != "all":
        return Role.TOOL, recipient
    names = {Role.USER: options.user or "user", Role.ASSISTANT: "ChatGPT", Role.SYSTEM: "system"}
    return role, names.get(role) or line(record(message.get("author")).get("name")) or "tool"


def _words(kind: str, content: Facts) -> tuple[str, list[Json]]:
    """A message's text and attachments."""
    if kind == "tether_quote":
        return (
            "\n".join(
                filter(None, (text(content.get(field)) for field in ("title", "url", "text")))
            ),
            [],
        )
    words: list[str] = []
    files: list[Json] = []
    for part in array(content.get("parts")):
        fields = record(part)
        if text(fields.get("asset_pointer")):
            files.append(
                sizes(fields["asset_pointer"], fields.get("size_bytes"), fields.get("content_type"))
            )
        # voice transcripts are parts with a text
        words.append(text(part) or text(fields.get("text")))
    said = "\n".join(word for word in words if word.strip())
    fallbacks = (text(content.get(field)) for field in ("text", "result", "summary", "content"))
    return said or ("" if files else next(filter(str.strip, fallbacks), "")), files

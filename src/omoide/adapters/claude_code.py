"""Memory for Claude Code and the Claude Agent SDK: hooks, and a store of session transcripts.

``answer`` follows the contract of Claude Code's hooks, which ``omoide hook`` serves on standard
input and output. ``hooks`` and ``OmoideSessionStore`` are for the SDK; only ``hooks`` needs it.

Both may be used at once: they know a message by the id of its prompt. The one that comes second
leaves its words out, so that recall finds them once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from omoide import Memory, MissingExtra, Role
from omoide.adapters.talk import ROLES, Said, SessionTalk, sessions_of, words_in
from omoide.adapters.worker import SerialWorker, in_worker
from omoide.nouns.metadata import parse_json

KIND = "claude-code"
TRANSCRIPTS = "claude-transcripts"
BUDGET = 1_500  # tokens of what is put before a prompt
TAIL = 200_000  # bytes at the end of a transcript in which the last answer is looked for
RECENT = 5  # turns of a user in which a message of the other log is looked for
EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
Event = Mapping[str, Any]


def answer(memory: Memory, event: Event, *, budget: int = BUDGET) -> dict[str, Any]:
    """Return what a hook prints for an event, and log what was said.

    At a session's start it tells what is always known; before a prompt, what is known about it. At
    a stop it logs the answer, and at the session's end it queues the session for learning. Other
    events change nothing.
    """
    name = event.get("hook_event_name")
    talk = SessionTalk(memory, KIND, str(event.get("session_id")))
    if name in ("SessionStart", "UserPromptSubmit"):
        prompt = str(event.get("prompt") or "")
        known = memory.at(session=talk.name).context(prompt, budget=budget)
        _log(memory, talk, event, prompt, Role.USER)
        return _told(name, known.stable if name == "SessionStart" else known.turn)
    if name == "Stop":
        said = event.get("last_assistant_message") or _last_answer(event.get("transcript_path"))
        _log(memory, talk, event, str(said or ""), Role.ASSISTANT)
    elif name in ("PreCompact", "SessionEnd") and talk.exists():
        memory.sessions.end(talk.name)
    return {}


def _told(name: str, text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def _log(memory: Memory, talk: SessionTalk, event: Event, text: str, role: Role) -> None:
    """Log what was said, unless a session store has it."""
    key = _key(event.get("prompt_id"), role)
    if text.strip() and (key, text.strip()) not in _mirrored(memory, event):
        talk.add([Said(payload={"role": role.value}, text=text, role=role, key=key)])


def _key(prompt: Any, role: Role) -> str | None:
    """The key of what is said in answer to a prompt, or of the prompt; None where it has no id."""
    if not prompt:
        return None
    return str(prompt) if role is Role.USER else f"{prompt}:answer"


def _mirrored(memory: Memory, event: Event) -> set[tuple[str | None, str]]:
    """The keys and words that a session store has of a session lately, of messages with a key."""
    project = Path(str(event.get("transcript_path") or "")).parent.name
    talk = _transcript(memory, {"project_key": project, "session_id": str(event.get("session_id"))})
    found, prompt = set(), None
    for turn, payload in talk.recent(RECENT):
        prompt = (payload or {}).get("promptId") or prompt
        if prompt:
            found.add((_key(prompt, turn.role), turn.text.strip()))
    return found


def _hooked(memory: Memory, key: Mapping[str, Any]) -> dict[str, str]:
    """The words that hooks logged of a session lately, by key."""
    if "subpath" in key:  # hooks tell nothing of subagents
        return {}
    recent = SessionTalk(memory, KIND, key["session_id"]).recent(RECENT)
    return {turn.key: turn.text.strip() for turn, _ in recent if turn.key}


def _transcript(memory: Memory, key: Mapping[str, Any]) -> SessionTalk:
    parts = (key[name] for name in ("project_key", "session_id", "subpath") if name in key)
    return SessionTalk(memory, TRANSCRIPTS, ":".join(part.replace(":", "%3A") for part in parts))


def _last_answer(path: Any) -> str:
    """The words of the last message of the assistant in a transcript."""
    try:
        with Path(str(path)).open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - TAIL))
            lines = file.read().splitlines()
    except (OSError, ValueError):
        return ""
    for entry in _entries(reversed(lines)):
        message = entry.get("message")
        if entry.get("type") == "assistant" and isinstance(message, dict):
            texts = [b for b in message.get("content") or () if b.get("type") == "text"]
            if texts:
                return words_in(texts)
    return ""


def _entries(lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            entry = parse_json(line)
        except ValueError:  # the first line of the tail may be cut
            continue
        if isinstance(entry, dict):
            yield entry


def hooks(memory: Memory, *, budget: int = BUDGET) -> dict[Any, list[Any]]:
    """Return hooks for the Claude Agent SDK: ``ClaudeAgentOptions(hooks=hooks(memory))``."""
    try:
        from claude_agent_sdk import HookMatcher
    except ModuleNotFoundError as error:
        raise MissingExtra("hooks of the Claude Agent SDK", "claude-agent-sdk") from error
    worker = SerialWorker()

    async def call(input: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        return await worker(answer, memory, input, budget=budget)

    # the SDK knows no hooks of a session's start and end
    return {name: [HookMatcher(hooks=[call])] for name in EVENTS if not name.startswith("Session")}


class OmoideSessionStore:
    """Transcripts of Claude's sessions: ``ClaudeAgentOptions(session_store=…)`` mirrors sessions
    there, and resumes them on any machine that has the memory.

    Each entry is a turn of the log; secrets in entries are masked.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory, self._worker = memory, SerialWorker()

    async def append(self, key: Any, entries: list[Any]) -> None:
        """Log entries; one whose uuid the session holds already is left out."""
        await self._worker(self._append, dict(key), [dict(entry) for entry in entries])

    @in_worker
    def load(self, key: Any) -> list[Any] | None:
        """Return the entries of a session in order; None where there never were any."""
        talk = self._talk(key)
        if not talk.exists():
            return None
        return [payload for _, payload in talk.read() if payload is not None]

    async def list_sessions(self, project_key: str) -> list[Any]:
        """Return the sessions of a project, with the time of their last entry."""
        found = await self._worker(self._known, project_key)
        return [
            {
                "session_id": about["session_id"],
                "mtime": int((session.last_at or session.started_at).timestamp() * 1000),
            }
            for session, about in found
            if "subpath" not in about
        ]

    @in_worker
    def delete(self, key: Any) -> None:
        """Forget a session with those of its subagents, or one of these."""
        for _, about in self._known(key["project_key"]):
            same = about["session_id"] == key["session_id"]
            if same and ("subpath" not in key or about == dict(key)):
                self._talk(about).clear()

    async def list_subkeys(self, key: Any) -> list[str]:
        """Return the subpaths of a session's subagents."""
        found = await self._worker(self._known, key["project_key"])
        return sorted(
            about["subpath"]
            for _, about in found
            if about["session_id"] == key["session_id"] and "subpath" in about
        )

    def _append(self, key: dict[str, Any], entries: list[dict[str, Any]]) -> None:
        talk = self._talk(key)
        if entries and not talk.exists():
            talk.start(key)
        hooked = _hooked(self._memory, key)
        prompt = _last_prompt(talk) if hooked else None
        messages = []
        for entry in entries:
            prompt = entry.get("promptId") or prompt
            messages.append(_said(entry, prompt, hooked))
        talk.add(messages)

    def _known(self, project: str) -> list[tuple[Any, dict[str, Any]]]:
        found = list(sessions_of(self._memory, TRANSCRIPTS))
        return [(session, about) for session, about in found if about["project_key"] == project]

    def _talk(self, key: Mapping[str, Any]) -> SessionTalk:
        return _transcript(self._memory, key)


def _last_prompt(talk: SessionTalk) -> Any:
    """The id of the prompt that was stored last."""
    ids = [payload.get("promptId") for _, payload in talk.recent(RECENT) if payload]
    return next(filter(None, reversed(ids)), None)


def _said(entry: dict[str, Any], prompt: Any, hooked: Mapping[str, str]) -> Said:
    """An entry as it is logged, without words that hooks logged as said after that prompt."""
    message = entry.get("message")
    said = message if isinstance(message, dict) else {}
    role = ROLES.get(str(said.get("role")), Role.SYSTEM)
    text = words_in(said.get("content"))
    if hooked.get(_key(prompt, role) or "") == text.strip():
        text = ""
    return Said(payload=entry, text=text, role=role, key=entry.get("uuid"))


__all__ = ["OmoideSessionStore", "answer", "hooks"]

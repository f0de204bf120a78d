"""Talks with an assistant in Markdown or plain text, as browser extensions and programs save them.

Who speaks stands in a heading (``## User``), in bold (``**Assistant:** Hi``), before a colon
(``Human: Hi``) or as copied from a page (``You said:``). A file uses the first of these in which
both sides speak; other lines, and all within code fences, are text. Such files have no times: the
time of the file is taken, as an estimate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from omoide.exchange.archives import ExportFiles
from omoide.exchange.lines import each_line
from omoide.exchange.options import ImportOptions
from omoide.exchange.parts import OpenConversation, Ordinals, digest
from omoide.exchange.problems import BrokenFile, Findings, Omission, Problem
from omoide.exchange.shape import line as one_line
from omoide.exchange.shape import text
from omoide.nouns.turn import Role
from omoide.wire.messages import ROLES

FILES = re.compile(r".*\.(?:md|markdown|txt)", re.IGNORECASE)
LINE_LIMIT = 4 * 2**20  # bytes
LOOKED_AT = 400  # lines in which both sides must speak

_NAMES = {
    **ROLES,
    **dict.fromkeys(("you", "me", "prompt"), Role.USER),
    **dict.fromkeys(("chatgpt", "gpt", "claude", "gemini", "copilot"), Role.ASSISTANT),
    **dict.fromkeys(("bot", "response", "llm"), Role.ASSISTANT),
}
_WHO = rf"(?P<who>{'|'.join(sorted(_NAMES, key=len, reverse=True))})"
_STYLES = (
    re.compile(
        rf"#{{1,6}}\s+(?:[^\w\s]{{1,4}}\s*)?{_WHO}\s*:?(?:\s*[(\[_].{{0,80}})?(?P<rest>)", re.I
    ),
    re.compile(rf"(?:\*\*|__){_WHO}\s*:?(?:\*\*|__)\s*:?\s*(?P<rest>.*)", re.I),
    re.compile(rf"{_WHO} said:\s*(?P<rest>)", re.I),
    re.compile(rf"{_WHO}:(?:\s+(?P<rest>.*))?", re.I),
)
_TITLE = re.compile(r"#\s+(?P<title>\S.{0,200})")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_RULE = re.compile(r"\s*(?:[-*_]\s*){3,}")


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """Every file in which both sides speak, a conversation each."""
    names = source.find(FILES)
    for name in names:
        if len(names) > 1 and not looks_like(source, name):
            yield Omission("file", 1, name)
            continue
        try:
            yield from _Transcript(source, name, options).read()
        except BrokenFile as broken:
            yield Problem(name, str(broken))


def looks_like(source: ExportFiles, name: str) -> bool:
    """A user and an assistant speak in one of its first lines each, in the same style."""
    try:
        return _style(source, name) is not None
    except BrokenFile:
        return False


def _style(source: ExportFiles, name: str) -> re.Pattern[str] | None:
    """The first style in which both sides speak."""
    roles: dict[re.Pattern[str], set[Role]] = {style: set() for style in _STYLES}
    for _, line, is_code in islice(_lines(source, name), LOOKED_AT):
        for style in _STYLES if line and not is_code else ():
            if found := style.fullmatch((line or "").strip()):
                roles[style].add(_NAMES[found["who"].lower()])
    return next((s for s in _STYLES if roles[s] >= {Role.USER, Role.ASSISTANT}), None)


def _lines(source: ExportFiles, name: str) -> Iterator[tuple[int, str | None, bool]]:
    """Each line, or None where it is too long, and whether it stands in a code fence."""
    is_code = False
    with source.open(name) as file:
        for number, data in each_line(file, LINE_LIMIT):
            line = None if data is None else text(data.decode(errors="replace"))
            is_fence = line is not None and _FENCE.match(line) is not None
            yield number, line, is_code or is_fence
            is_code ^= is_fence


class _Transcript:
    """One file while it is read."""

    def __init__(self, source: ExportFiles, name: str, options: ImportOptions) -> None:
        self._source, self._name, self._options = source, name, options
        stem = one_line(name.rpartition("/")[2].rpartition(".")[0])
        self._chat = OpenConversation("transcript", digest(stem), options, title=stem)
        self._chat.last_at = source.changed_at(name)
        self._keys = Ordinals("transcript", stem)

    def read(self) -> Findings:
        """The talk."""
        style = _style(self._source, self._name)
        if style is None:
            yield Problem(self._name, "no lines that name a user and an assistant as speakers")
            return
        words: list[str] = []
        who, place = "", "line 1"
        for number, line, is_code in _lines(self._source, self._name):
            if line is None:
                yield Problem(f"{self._name}: line {number}", f"over {LINE_LIMIT // 2**20} MB")
            elif is_code or not (found := style.fullmatch(line.strip())):
                words.append(line)
            else:
                yield from self._say(who, words, place)
                who, words, place = found["who"], [found["rest"] or ""], f"line {number}"
        yield from self._say(who, words, place)
        yield from self._chat.readings()

    def _say(self, who: str, words: list[str], place: str) -> Findings:
        """Add what one speaker said; what stands before the first is a title at most."""
        said = _without_rule("\n".join(words)).strip()
        with self._chat.reading(f"{self._name}: {place}"):
            if who:
                self._add(_NAMES[who.lower()], who, said)
            else:
                self._head(said)
        yield from self._chat.due()

    def _add(self, role: Role, who: str, said: str) -> None:
        is_me, key = role is Role.USER, self._keys.key("", role.value, said)
        speaker = (self._options.user or "user") if is_me else who
        self._chat.add(said, role, speaker, at=None, key=key, is_me=is_me)

    def _head(self, said: str) -> None:
        found = next(filter(None, map(_TITLE.fullmatch, said.splitlines())), None)
        if found:
            self._chat.title = one_line(found["title"])
        if any(line.strip() and not _TITLE.fullmatch(line) for line in said.splitlines()):
            self._chat.leave_out("lines before the first speaker")


def _without_rule(said: str) -> str:
    """Without the line that parts it from the next."""
    before, _, last = said.rstrip().rpartition("\n")
    return before if _RULE.fullmatch(last) else said

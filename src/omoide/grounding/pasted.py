"""What is put into a turn from elsewhere: it stands there, and nobody says it. Told by its shape
alone, in any language.

Lines behind ">", in a code fence, or of a log are put there. So is all that comes below

- a line that ends with a colon, unless that is a list: lines with bullets or numbers, or short ones
  none of which ends a sentence;
- a line of dashes as mail programs draw it, or the head of a mail;
- a salutation, where something was said before it.

Assistants put text below colons all day, and it is theirs: of what they say, only what has a sign
or a fence was put there. What follows a colon in its own line is who speaks: "Update: I moved to
Porto" has the shape of a pasted sentence, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from omoide.grounding.chatter import passing
from omoide.nouns.turn import Role

SHORT = 80  # characters of a line in a list without bullets
_FENCE = re.compile(r"[ \t]{0,3}(```|~~~)")
# one line of a log: a day with its time
_LOGGED = re.compile(r"\s*\[?\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d")
_COLON = re.compile(r"[:：][\s*_]*$")
_BULLET = re.compile(
    r"\s*(?:[-*+•·–—‣◦▪●○✓✔☐☑→#|]|\[["
    r" xX]\]|[(（]?(?:\d{1,3}|[a-zA-Z]|[一二三四五六七八九十]{1,3})[.)）、]|[\u2460-\u2473])"
)
_SENTENCE_END = re.compile(r"[.!?…؟۔।][\"'»”’)*]*\s*$|[。！？]")
_RULE = re.compile(r"\s*[-_=*]{5,}")  # "-----Original message-----"; a list's rule has three
_HEAD = re.compile(r"\s*[^\s:：][^:：]{0,30}[:：]\s*\S")  # "From: …" in any language
_ADDRESS = re.compile(r"[^\s@<>]@[^\s@<>]+\.\w")
_SALUTATION = re.compile(
    r"(?:^|[:：])\s*[^\s.!?…。！？:：,،，、][^.!?…。！？:：]{0,40}[,،，、]\s*$"
)


def is_pasted(text: str, start: int, end: int, role: Role = Role.USER) -> bool:
    """Whether any of a stretch was put there, in what a role says."""
    at = 0
    for line, own in _lines(text, role):
        if not own and at < end and start < at + len(line.rstrip()):
            return True
        at += len(line)
    return False


def unpasted(text: str, role: Role = Role.USER) -> str:
    """A text without what was put there: what nobody said lends no words to what somebody did."""
    return "\n".join(line.rstrip("\r\n") for line, own in _lines(text, role) if own)


def holds_pasted(text: str, role: Role = Role.USER) -> bool:
    """Whether something was put there."""
    return any(line.strip() and not own for line, own in _lines(text, role))


def _lines(text: str, role: Role) -> Iterator[tuple[str, bool]]:
    """The lines with their ends; whether who speaks says each."""
    lines = text.splitlines(keepends=True)
    lists = list(
        accumulate(map(_is_listed, reversed(lines)), lambda below, one: below and one, initial=True)
    )[::-1]  # from each line on
    fenced = below = False
    for n, line in enumerate(lines):
        fence, shapes = (
            _FENCE.match(line) is not None,
            role is Role.USER and not fenced and not line.isspace(),
        )
        signed = fence or fenced or line.lstrip().startswith(">")
        yield line, not (signed or below or (shapes and (_LOGGED.match(line) or _RULE.match(line))))
        fenced ^= fence
        below = below or (shapes and not fenced and _brings(lines, n, lists))


def _brings(lines: Sequence[str], n: int, lists: Sequence[bool]) -> bool:
    """Whether what comes below a line was put there."""
    line, first = lines[n], next((at for at in range(n + 1, len(lines)) if lines[at].strip()), None)
    if first is None:
        return False
    if _RULE.match(line) or (
        _ADDRESS.search(line) and _HEAD.match(line) and _HEAD.match(lines[first])
    ):
        return True
    if _SALUTATION.search(line) and (
        ":" in line or "：" in line or (n > 0 and not lines[n - 1].strip() and first > n + 1)
    ):
        return True
    if (
        not _COLON.search(line)
        or _FENCE.match(lines[first])
        or lines[first].lstrip().startswith(">")
    ):
        return False
    return not (_BULLET.match(lines[first]) or lists[first] or passing(line))


def _is_listed(line: str) -> bool:
    """Whether a line may be one of a list without bullets."""
    return len(line) <= SHORT and not _SENTENCE_END.search(line)

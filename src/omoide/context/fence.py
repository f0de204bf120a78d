"""Fences: marks around remembered text that no remembered text can close. Pure.

Three walls stand between stored text and the prompt. It is disarmed: nothing unseen is left in it,
and no literal by which a tokenizer tells who speaks. It keeps to its place: each of its lines but
the first is indented, so none can begin a line of ours. And the mark has a code made from
the text itself, so what is stored cannot know it; where a text holds a mark, it is parted.
"""

from __future__ import annotations

import re
from hashlib import sha256

from omoide.context.budget import Budget
from omoide.models.chat.material import disarmed, parted

CODE = 9  # digits of a mark: a model reads three of them as one token
INDENT = "  "
_MARK = re.compile(
    r"<(?=/?(?:memory[-\w]*|user_profile|\w{5,7}memory|facts|consolidated|recentreflections|recalled)>)",
    re.IGNORECASE,
)

# a joiner beside a sign of code joins nothing, and would stay where the sign is escaped
_CODE_SIGN, _JOINERS = r"[!-/:-@\[-`{-~]", r"[\u200c\u200d]"
_JOINER = re.compile(rf"(?<={_CODE_SIGN}){_JOINERS}+|(?<!{_JOINERS}){_JOINERS}+(?={_CODE_SIGN})")


def kept_inside(text: str) -> str:
    """A stored text as it may stand in a context: on one line, or on several of which each but the
    first is indented.

    Ordinary writing stays as it is but for white space at the ends of lines and blank lines.
    """
    seen = disarmed(_JOINER.sub("", disarmed(text)))
    lines = [line.rstrip() for line in parted(seen, _MARK).splitlines()]
    return f"\n{INDENT}".join(line for line in lines if line.strip()).strip()


def fenced(body: str) -> str:
    """A body between its marks."""
    mark = mark_of(body)
    return f"<{mark}>\n{body}\n</{mark}>"


def mark_of(body: str) -> str:
    """The mark of a body: the same for the same body, and nowhere in it."""
    code = _code(body)
    while code in body:
        code = _code(code)
    return f"memory-{code}"


def _code(text: str) -> str:
    made = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return f"{int.from_bytes(made) % 10**CODE:0{CODE}}"


def fence_size(budget: Budget) -> int:
    """The most that a fence takes of a budget."""
    return budget.size(f"<memory-{'0' * CODE}>\n\n</memory-{'0' * CODE}>\n\n")

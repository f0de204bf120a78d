"""How tools were used, as counts, and what a model proposes to remember from these. Pure.

Of what was said, asked for, found or answered nothing is in the counts: they name tools, programs
and sorts of errors alone. What is not surely one of these is left out, as is what hardly ever
happened.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from omoide.grounding.chatter import passing
from omoide.grounding.claims import Flag
from omoide.grounding.invented import SourceText
from omoide.models.chat.answers import objects, one_line
from omoide.nouns.clock import Clock
from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import Details, Item, Source
from omoide.nouns.metadata import parse_json
from omoide.nouns.proposal import RATIONALE
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.tables.tools import ToolCall
from omoide.text.secrets import has_secret
from omoide.text.secrets.fields import mask_json
from omoide.write.remember import Statement, draft

ORIGIN = "usage"  # of what was proposed from the counts: all of it is forgotten by this
AT_MOST, TEXT_LIMIT = 5, 300  # proposals of one answer, and characters of each text
HABIT = 3  # times that tools follow each other, or a program is run, before that is told
SHOWN = 20  # entries of each sort
OTHER = "other"
_STEPS = (2, 3)  # tools in a row
_COMMANDS = ("command", "cmd", "argv")  # arguments that hold a command line
# tools whose commands are programs
_SHELL = re.compile("shell|bash|zsh|terminal|exec|console|subprocess", re.IGNORECASE)
_PROGRAM = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]{0,30}", re.ASCII)
_ERROR = re.compile(
    r"(?:[a-z_]\w*\.)*((?:[A-Z][A-Za-z0-9]*)?(?:Error|Exception|Failure|Timeout|Expired|Exceeded|Denied|Refused|NotFound))(?!\w)",
    re.ASCII,
)
_STATUS = re.compile(
    r"(?:http(?:/[\d.]+)?|exit (?:code|status)|status(?: code)?):? ?(\d{1,3})\b",
    re.ASCII | re.IGNORECASE,
)
# a fact about counts has words that these have not
_GROUNDS = frozenset({Flag.NAME, Flag.NUMBER, Flag.DATE, Flag.ADDRESS})


@frozen_record
class ToolUse:
    """How often a tool was called, how often in vain, and by what sorts of errors."""

    tool: str
    calls: int
    failed: int
    errors: Mapping[str, int]


@frozen_record
class Usage:
    """How a user's tools were used in a number of days."""

    user: str
    days: int
    messages: int  # of people, of which nothing else is known here
    sessions: int
    calls: int
    tools: tuple[ToolUse, ...]
    sequences: Mapping[str, int]
    commands: Mapping[str, int]


@frozen_record
class UsageFinding:
    """What a model proposes to remember, and the counts that it says this rests on."""

    fact: str
    rationale: str


def usage_of(user: str, days: int, messages: int, calls: Sequence[ToolCall]) -> Usage:
    """The counts of a user's calls, given in the order in which they were made."""
    by_session: dict[str, list[str]] = {}
    for call in calls:
        by_session.setdefault(call.scope.session or "", []).append(call.tool)
    tools = Counter(call.tool for call in calls)
    return Usage(
        user=user,
        days=days,
        messages=messages,
        sessions=len(by_session.keys() - {""}),
        calls=len(calls),
        tools=tuple(
            _use(tool, [call for call in calls if call.tool == tool])
            for tool, _ in tools.most_common(SHOWN)
        ),
        sequences=_habits(
            row for session, used in by_session.items() if session for row in _rows(used)
        ),
        commands=_habits(filter(None, map(_program, calls))),
    )


def material(usage: Usage) -> str:
    """What a model is shown: the counts as one JSON object, so that no name in it can pass for
    anything else; empty without calls.
    """
    if not usage.calls:
        return ""
    data = mask_json(json.loads(json.dumps(asdict(usage))))
    return f"The last {usage.days} days, as data:\n{json.dumps(data, ensure_ascii=False)}"


def read_findings(answer: dict[str, Any]) -> list[UsageFinding]:
    """What an answer proposes, each text on one line; what is no statement, has no rationale, is
    too long or holds a secret is not.

    Raises:
        ValueError: it has no list of proposals; an empty one is as good as any.
    """
    told = (
        UsageFinding(fact=one_line(one.get("fact")), rationale=one_line(one.get("rationale")))
        for one in objects(answer, "proposals")
    )
    return [one for one in told if _is_proper(one)][:AT_MOST]


def as_item(finding: UsageFinding, scope: Scope, clock: Clock) -> Item | None:
    """What is proposed, as the item that it would be; None where it can be none."""
    details = Details(
        source=Source.INFERRED, origin=ORIGIN, metadata={RATIONALE: finding.rationale}
    )
    try:
        return draft(Statement(text=finding.fact, details=details), scope, clock)
    except InvalidInput:
        return None


def unfounded(finding: UsageFinding, shown: str, clock: Clock) -> frozenset[Flag]:
    """The sorts of things that a proposal, or why it is made, names though the counts do not."""
    told = SourceText([shown], clock.now())
    return (told.lacks(finding.fact) | told.lacks(finding.rationale)) & _GROUNDS


def _use(tool: str, calls: Sequence[ToolCall]) -> ToolUse:
    errors = Counter(_sort_of_error(call.error) for call in calls if call.error is not None)
    return ToolUse(
        tool=tool, calls=len(calls), failed=errors.total(), errors=dict(errors.most_common(SHOWN))
    )


def _sort_of_error(error: str) -> str:
    """The name of an error's class, or the number it ended with; what else it says may be
    anything.
    """
    if named := _ERROR.match(error):
        return named[1]
    status = _STATUS.match(error)
    return status[1] if status else OTHER


def _rows(used: Iterable[str]) -> Iterable[str]:
    """The tools that followed each other in a session, one called again and again counting once."""
    steps = [tool for tool, _ in groupby(used)]
    return [
        " > ".join(steps[n : n + length])
        for length in _STEPS
        for n in range(len(steps) - length + 1)
    ]


def _program(call: ToolCall) -> str:
    """The name of the program that a call ran; empty if it ran none that can be told."""
    if not _SHELL.search(call.tool):
        return ""
    try:
        args = parse_json(call.args)
    except ValueError:  # it was cut
        return ""
    line = (
        next((args[name] for name in _COMMANDS if name in args), "")
        if isinstance(args, dict)
        else ""
    )
    words = line.split() if isinstance(line, str) else line if isinstance(line, list) else []
    first = re.split(r"[/\\]", str(words[0]))[-1] if words else ""
    return first if _PROGRAM.fullmatch(first) else ""


def _habits(told: Iterable[str]) -> Mapping[str, int]:
    return {one: count for one, count in Counter(told).most_common(SHOWN) if count >= HABIT}


def _is_proper(finding: UsageFinding) -> bool:
    texts = (finding.fact, finding.rationale)
    return all(
        text and len(text) <= TEXT_LIMIT and not has_secret(text) for text in texts
    ) and not passing(finding.fact)

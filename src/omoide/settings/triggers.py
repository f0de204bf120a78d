"""When what was said in a session is learnt from: one setting, read into a policy. Pure.

The setting is a list such as ``idle=30m,messages=45,tokens=1500``; the first of them to come about
counts. ``turn`` is every turn of five words or more (``turn=20``: of twenty), ``hand`` is none of
them: then only those who ask for it have a session learnt from. A session that waits is a job with
a time, so one that went idle while no program ran is due when the next one starts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from omoide.nouns.errors import InvalidInput
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.turn import Role, Turn
from omoide.settings.retention import read_duration

DEFAULT_TRIGGERS = "idle=30m,messages=45,tokens=1500"
LEAST_MESSAGES = 4  # fewer are not worth a model call, unless the session went idle or ended
# of a person, for "turn"; what is shorter is learnt with what follows, or when the session is idle
LEAST_WORDS = 5
# of a character, in tenths
WEIGHT = {Role.USER: 10, Role.TOOL: 5, Role.SYSTEM: 5, Role.ASSISTANT: 2}
_COUNT = re.compile(r"[1-9]\d{0,8}", re.ASCII)
WEIGHT_OF_TOKEN = 45  # 4.5 characters of a person

_SHORT_TURNS = timedelta(minutes=30)  # that "turn" leaves waiting


@frozen_record
class Triggers:
    """The policy. What is None, or False, does not trigger."""

    turn: bool = False
    words: int = LEAST_WORDS  # of people, that a turn must have for it
    idle: timedelta | None = None
    messages: int | None = None
    tokens: int | None = (
        # weighted: a person's words count in full, a tool's by half, an assistant's by a fifth
        None
    )


@frozen_record
class Waiting:
    """What of a session nothing was learnt from yet."""

    turns: int
    weight: int  # of their characters, in tenths
    words: int  # that people said just now
    last_at: datetime  # when the last turn was said


def read_triggers(setting: str) -> Triggers:
    """The policy that a setting names.

    Raises:
        InvalidInput: a trigger that there is not, or one with a number or time that cannot be read.
    """
    if setting.strip() == "hand":
        return Triggers()
    values: dict[str, Any] = {}
    for part in setting.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        match name:
            case "turn" if not value or (len(value) < 5 and _COUNT.fullmatch(value)):
                values |= {"turn": True, "words": int(value or LEAST_WORDS)}
            case "idle":
                values["idle"] = read_duration("capture", value or "30m")
            case "messages" | "tokens" if _COUNT.fullmatch(value):
                values[name] = int(value)
            case _:
                raise InvalidInput(
                    "capture",
                    "must be hand, or some of turn=5, idle=30m, messages=45 and tokens=1500 with"
                    f" commas between; got {part.strip()!r}",
                )
    return Triggers(**values)


def read_catch_up(setting: str) -> timedelta | None:
    """How old sessions that are in no line may be to be put there; None for ``hand``: only where
    somebody asks.

    Raises:
        InvalidInput: it is no time.
    """
    return None if setting.strip() == "hand" else read_duration("catch_up", setting)


def weight_of(turns: Iterable[Turn]) -> int:
    """What turns weigh: their characters, in tenths of one that a person said."""
    return sum(WEIGHT[turn.role] * len(turn.text) for turn in turns)


def due_at(triggers: Triggers, waiting: Waiting, now: datetime) -> datetime | None:
    """From when on a session is to be learnt from; None: not by itself."""
    enough = waiting.turns >= LEAST_MESSAGES
    full = triggers.messages is not None and waiting.turns >= triggers.messages
    heavy = triggers.tokens is not None and waiting.weight >= triggers.tokens * WEIGHT_OF_TOKEN
    if (triggers.turn and waiting.words >= triggers.words) or (enough and (full or heavy)):
        return now
    idle = _SHORT_TURNS if triggers.idle is None and triggers.turn else triggers.idle
    return None if idle is None else min(waiting.last_at, now) + idle

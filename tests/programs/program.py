"""Random programs of verbs, run on memories of one host and compared with those of another.

A program is a list of steps; a step is a verb and a seed for its arguments, which are chosen among
what the program was told before. So a program stays one when steps are left out of it.
"""

from __future__ import annotations

import inspect
import json
import random
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import OmoideError
from omoide.nouns.item import Tier
from omoide.nouns.scope import Scope
from omoide.verbs.groups import GROUPS
from tests.programs.answers import difference, plain
from tests.programs.calls import CALLS, WEIGHTS
from tests.programs.values import ORIGINS, Chance
from tests.programs.world import World

WAIT = "wait"
_KEYED = {
    "content",
    "hash",
    "head",
    "salt",
    "sha256",
}  # of an archive's lines: salted, so a store's own


@dataclass(frozen=True)
class Step:
    """One call of a verb, with arguments by this seed; or the clock moves."""

    verb: str
    seed: int


Program = list[Step]


def program_of(seed: int, steps: int) -> Program:
    """So many steps by chance."""
    chance = Chance(seed)
    verbs = [*CALLS, WAIT]
    weights = [WEIGHTS.get(verb, 1) for verb in verbs[:-1]] + [4]
    chosen = chance.choices(verbs, weights, k=steps)
    begin = ["remember"] * 3 + ["ingest"] * 3 + ["jobs.run"]
    return [Step(verb, chance.getrandbits(40)) for verb in (*begin, *chosen)]


class Host(Protocol):
    """What a program runs on: it calls a verb of a memory."""

    clock: FixedClock

    def call(self, verb: str, because: Because, arguments: dict[str, Any]) -> Any:
        """What the verb returns."""
        ...

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Every row of the store."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...


@dataclass
class Run:
    """A program running on a host, with what it was told so far."""

    host: Host
    folder: Path
    world: World = field(init=False)

    def __post_init__(self) -> None:
        self.world = World(self.folder)

    def take(self, step: Step) -> tuple[dict[str, Any], Any]:
        """Take a step; the arguments, and what came of it in plain values."""
        chance = Chance(step.seed)
        random.seed(step.seed)  # by which a job that failed waits
        if step.verb == WAIT:
            hours = chance.choice((0, 1, 30, 400, 3_000))
            self.host.clock.move(hours=hours)
            return {"hours": hours}, None
        arguments = CALLS[step.verb](chance, self.world)
        because = self._because(chance)
        if takes_scope(step.verb):
            arguments["scope"] = self._scope(step.verb, chance)
        try:
            told = self.host.call(step.verb, because, arguments)
        except Exception as error:  # noqa: BLE001 - compared, whatever it is
            if not isinstance(error, OmoideError):
                return arguments, plain(error) | {"trace": traceback.format_exc()[-1500:]}
            return arguments, self._placeless(plain(error))
        self.world.learn(told)
        if step.verb == "admin.export":
            self.world.files.append(str(arguments["path"]))
            return arguments, self._placeless(plain([told, lines_of(arguments["path"])]))
        return arguments, self._placeless(plain(told))

    def _placeless(self, value: Any) -> Any:
        """A plain value without the folder of this run."""
        if isinstance(value, dict):
            return {self._placeless(key): self._placeless(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._placeless(inner) for inner in value]
        return value.replace(str(self.folder), "") if isinstance(value, str) else value

    @staticmethod
    def _scope(verb: str, chance: Chance) -> Scope | None:
        """Mostly the memory's own; of users, often that of none."""
        if verb.startswith("users.") and chance.often(0.6):
            return Scope(shared=True)
        return chance.scope() if chance.often(0.35) else None

    def _because(self, chance: Chance) -> Because:
        tier = chance.choice((*(Tier.USER,) * 5, Tier.AGENT, Tier.DOCUMENT))
        cause = chance.maybe(chance.choice(ORIGINS), 0.2)
        return Because(actor="importer", reason="told so", cause=cause, tier=tier)


def takes_scope(verb: str) -> bool:
    """Whether a verb may be told where it acts."""
    group, _, name = verb.rpartition(".")
    owner = GROUPS[group] if group else Memory
    return "scope" in inspect.signature(getattr(owner, name)).parameters


def lines_of(path: Path) -> list[Any]:
    """The lines of an archive without what is keyed by a store's own salts."""
    return [unkeyed(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def unkeyed(value: Any) -> Any:
    """A JSON value without keyed hashes."""
    if isinstance(value, dict):
        return {name: unkeyed(inner) for name, inner in value.items() if name not in _KEYED}
    return [unkeyed(inner) for inner in value] if isinstance(value, list) else value


def compared(program: Program, runs: Sequence[Run]) -> str | None:
    """Where runs of a program on several hosts first differ; None if nowhere. An error that is not
    Omoide's own is a difference too.
    """
    for number, step in enumerate(program):
        (arguments, first), *others = [run.take(step) for run in runs]
        told = f"step {number} {step.verb}({str(arguments)[:1500]})"
        if isinstance(first, dict) and first.get("is_ours") is False:
            return f"{told} raised {first['']}: {first['message']}\n{first.get('trace')}"
        for run, (_, other) in zip(runs[1:], others, strict=True):
            if found := difference(first, other):
                return f"{told}: {type(run.host).__name__} differs: {found[:3000]}"
    return unlike(runs) or unsound(runs[0])


def unsound(run: Run) -> str | None:
    """What is wrong with the store that a program leaves."""
    doctor = run.host.call("admin.doctor", Because(), {})
    found = [one for one in doctor if not one.place.startswith("sender of")]  # advice on links
    verdict = run.host.call("admin.verify", Because(), {})
    problems = [*map(str, found), *verdict.problems]
    return f"step end doctor found {problems[:5]}" if problems else None


def unlike(runs: Sequence[Run]) -> str | None:
    """Where the rows of two stores differ first; None if nowhere."""
    first, *others = [plain(run.host.rows()) for run in runs]
    for run, other in zip(runs[1:], others, strict=True):
        if found := difference(first, other, "rows"):
            return f"step {len(runs)} rows {type(run.host).__name__} differs: {found[:3000]}"
    return None

"""Which runs of tools are worth a recipe: the same steps towards much the same goal, often enough
and mostly with success. Pure.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from omoide.models.base import Vectors
from omoide.nouns.item import Tier
from omoide.nouns.record.frozen import frozen_record

# least: runs, share that succeeded, steps, cosine of goals
OCCURRENCES, SUCCESS, STEPS, ALIKE = 3, 0.8, 3, 0.82


@frozen_record
class GoalRun:
    """What was called towards a goal, in order, and whether it went well."""

    goal: str
    tools: tuple[str, ...]
    success: bool
    turn: str = ""  # that says the goal, by its id
    tier: Tier = Tier.AGENT


@frozen_record
class Cluster:
    """Runs of the same tools towards much the same goal."""

    goals: tuple[str, ...]  # of those that succeeded
    tools: tuple[str, ...]
    attempts: int
    turns: tuple[str, ...] = ()  # that say the goals, by their ids
    tier: Tier = Tier.AGENT  # the lowest of the runs that succeeded

    @property
    def successes(self) -> int:
        """How many of them succeeded."""
        return len(self.goals)

    @property
    def origin(self) -> str:
        """What a recipe of it is said to come from: the tools and the turn that says the first
        goal, by their hash.
        """
        return (
            "success:"
            + hashlib.blake2b(
                "\n".join((*self.tools, *self.turns[:1])).encode(), digest_size=8
            ).hexdigest()
        )


def clusters(runs: Sequence[GoalRun], vectors: Vectors) -> list[Cluster]:
    """The runs that are worth a recipe, those with the most successes first.

    ``vectors``: of the runs' goals, float32, shape ``(n, d)``, rows of length 1. A run joins the
    first cluster of its tools whose first goal is alike; runs come in the order of their time.
    """
    groups: list[list[int]] = []
    for n, run in enumerate(runs):
        home = next(
            (
                g
                for g in groups
                if runs[g[0]].tools == run.tools and float(vectors[g[0]] @ vectors[n]) >= ALIKE
            ),
            None,
        )
        if len(run.tools) >= STEPS:
            groups.append([n]) if home is None else home.append(n)
    found = []
    for group in groups:
        good = [runs[n] for n in group if runs[n].success]
        went_well = tuple(run.goal for run in good)
        if len(went_well) >= OCCURRENCES and len(went_well) / len(group) >= SUCCESS:
            turns, tier = tuple(run.turn for run in good), min(run.tier for run in good)
            found.append(
                Cluster(
                    goals=went_well,
                    tools=runs[group[0]].tools,
                    attempts=len(group),
                    turns=turns,
                    tier=tier,
                )
            )
    return sorted(found, key=lambda one: -one.successes)

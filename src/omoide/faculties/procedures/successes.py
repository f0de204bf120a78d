"""Recipes: from tools that led to a goal again and again, how to reach it.

They are looked for by hand, or in rounds of upkeep where the setting ``recipes`` wants it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from omoide.faculties.procedures.door import of_advice, recipe_text
from omoide.faculties.procedures.lessons import Practice, recipe_origins
from omoide.faculties.procedures.recipes import Cluster, GoalRun, clusters
from omoide.grounding.claims import tier_of
from omoide.jobs.queue import Stop, never
from omoide.models.base import checked
from omoide.models.prompts import prompt
from omoide.nouns.change import Action, Because
from omoide.nouns.chore import Chore, Done, Round
from omoide.nouns.clock import Clock
from omoide.nouns.item import NO_DETAILS, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import TOOLS, Advice, Procedure, Provenance
from omoide.nouns.scope import Scope
from omoide.settings.switches import level_of
from omoide.store.base import Transaction, read_only
from omoide.tables.ledger import Ledger
from omoide.tables.tools import ToolCalls
from omoide.tables.turns import Turns
from omoide.write.apply import Door, through

CALLS = 5_000  # the latest tool calls that recipes are looked for in
LATELY = timedelta(days=30)  # whose calls are this old is not looked at by rounds
CLUSTERS = 10  # recipes that are made of successes in one pass


def recipes_of_late(practice: Practice, at: Round) -> Done:
    """Make recipes in a round of upkeep, where the setting ``recipes`` wants it: those that are
    new, of each user's and agent's calls within a month.

    Raises:
        ModelError: a model failed; the recipes made before that stay.
    """
    done = Done(chore=Chore.RECIPES, counts={"recipes": 0})
    if not practice.teaching.recipes:
        return done
    with read_only(practice.store, at.tenant) as tx:
        callers = ToolCalls(tx).callers(at.tenant, practice.clock.now() - LATELY)
    if not practice.teaching.asker.is_on:
        return replace(done, waits="recipes wait for a language model" if callers else "")
    made = 0
    for scope in callers:
        if not at.stop() and level_of(scope) not in practice.teaching.switches.off:
            made += len(make_recipes(practice, scope, at.because, heed=True, stop=at.stop))
    return replace(done, counts={"recipes": made})


def make_recipes(
    practice: Practice,
    scope: Scope,
    because: Because,
    *,
    heed: bool = False,
    stop: Stop = never,
) -> list[Procedure]:
    """Recipes of what the scope's agent did with success, at most ten; those that there are,
    wait or were rejected aside.

    With heed also those that a model made nothing of before: of these it is asked again by hand
    alone.

    Raises:
        ModelError: the model or the embedder failed; the recipes made before that stay.
        Forbidden: memory of that level is off.
    """
    practice.teaching.switches.check_on(scope, NO_DETAILS)
    with practice.making:
        return list(_made(practice, scope, because, heed=heed, stop=stop))


def _made(
    practice: Practice, scope: Scope, because: Because, *, heed: bool, stop: Stop
) -> Iterator[Procedure]:
    for cluster in _fresh(practice, scope, heed=heed):
        if stop():
            break
        told = recipe_text(cluster.goals, cluster.tools)
        answered, advice = practice.ask(scope, prompt("recipe"), told)
        if advice is not None:
            recipe = _recipe(advice, practice.clock, scope, cluster)
            learnt = practice.learnt(recipe, advice, told, None)
            added = practice.add_of(because, learnt, cluster.turns)
            yield from [added] if added is not None else []
        elif answered:
            _note_nothing(practice, scope, because, cluster)


def _fresh(practice: Practice, scope: Scope, *, heed: bool) -> list[Cluster]:
    """What is worth a recipe and has none, ten at most."""
    with read_only(practice.store, scope.tenant) as tx:
        known, runs = recipe_origins(tx, scope), _runs(tx, scope)
    loaded = practice.encoders().serving
    if loaded is None or not runs:
        return []
    vectors = checked(loaded.embedder, [run.goal for run in runs])
    fresh = [
        cluster
        for cluster in clusters(runs, vectors)
        if cluster.origin not in known and known.isdisjoint(cluster.turns)
    ]
    if heed:
        with read_only(practice.store, scope.tenant) as tx:
            fresh = [one for one in fresh if not Ledger(tx).standing(scope.tenant, one.origin)]
    return fresh[:CLUSTERS]


def _note_nothing(practice: Practice, scope: Scope, because: Because, cluster: Cluster) -> None:
    """Put on the ledger that a model made nothing of this, so that a round does not ask for it
    night after night.
    """

    def write(tx: Transaction, door: Door) -> None:
        door.lock(scope)
        door.note(
            Action.REJECT,
            Kind.PROCEDURE,
            cluster.origin,
            replace(scope, session=None),
            before={"agent": scope.agent or ""},
        )

    through(practice.store, practice.clock, because, write, tenant=scope.tenant)


def _recipe(advice: Advice, clock: Clock, scope: Scope, cluster: Cluster) -> Procedure:
    about = {
        "provenance": Provenance.SUCCESS,
        "origin": cluster.origin,
        "tags": advice.tags,
        "sources": cluster.turns,
    }
    counts = {"successes": cluster.successes, "attempts": cluster.attempts}
    tools = {"tools": tuple(dict.fromkeys(cluster.tools))[:TOOLS]}
    return of_advice(advice, clock, scope, about | counts | tools | {"tier": cluster.tier})


def _runs(tx: Transaction, scope: Scope) -> list[GoalRun]:
    """What was called in each session, in order, with the first thing that a person said in it
    as the goal.
    """
    sessions: dict[str, list[tuple[str, bool]]] = {}
    for call in reversed(ToolCalls(tx).runs(scope, CALLS)):
        if call.scope.session:
            sessions.setdefault(call.scope.session, []).append((call.tool, call.success))
    runs = []
    for session, done in sessions.items():
        begin = Turns(tx).of_session(replace(scope, session=session), session, limit=20)
        first = next((turn for turn in begin if turn.user), None)
        if first is not None:
            tools, success = tuple(tool for tool, _ in done), all(ok for _, ok in done)
            # what was called is the agent's own
            tier = min(tier_of(first, scope.user), Tier.AGENT)
            runs.append(
                GoalRun(goal=first.text, tools=tools, success=success, turn=first.id, tier=tier)
            )
    return runs

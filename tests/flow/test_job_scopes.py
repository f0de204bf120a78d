"""Who sees which jobs, and what a model said in them: as of any other record, by user, agent and
session.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from omoide.memory import Memory
from omoide.nouns.access import Principal, Right
from omoide.nouns.errors import NotFound
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.store.base import Store
from omoide.tables.jobs import EMBED_JOB, Failure, Jobs
from tests.fix_memory import NINE, session_of

SAID = "the wombat of Ana is called Bob"
COOK, CLERK = Scope(user="ana", agent="cook"), Scope(user="ana", agent="clerk")


def failed(store: Store, id: str, args: dict[str, str], user: str = "ana") -> None:
    """A job that gave up, with what a model said."""
    with store.transaction(tenant=None) as tx:
        Jobs(tx).schedule("default", id, "learn", user=user, args=dict(args), run_at=NINE)
        job = Jobs(tx).claim({"learn"}, NINE, NINE + timedelta(minutes=5))
        assert job is not None
        failure = Failure(failures=1, at=NINE, error="ModelError", answer=SAID)
        assert Jobs(tx).fail(job, failure, again_at=None)


def seen(memory: Memory, scope: Scope) -> list[str]:
    """What a model said in the one job, as far as a scope sees it; and how many are listed and
    counted.
    """
    listed = [job.id for job in memory.jobs.list(scope=scope) if job.kind == "learn"]
    counted = [one for one in memory.stats(scope).jobs if one.kind == "learn"]
    assert len(listed) == len(counted)
    try:
        return [memory.jobs.answer("j", scope)]
    except NotFound:
        assert not listed
        return []


@pytest.mark.parametrize("args", [{"agent": "cook"}, {"session": session_of("talk", COOK)}])
def test_another_agents_job_is_hidden(memory: Memory, store: Store, args: dict[str, str]) -> None:
    """Whether it says so itself, or is about a session of that agent."""
    memory.ingest([Message(text="hello")], Scope(user="ana", agent="cook", session="talk"))
    failed(store, "j", args)

    assert (seen(memory, COOK), seen(memory, CLERK)) == ([SAID], [])
    with pytest.raises(NotFound):
        memory.jobs.replay("j", CLERK)


def test_the_job_of_a_shared_session_is_seen_by_its_owner_and_from_within(
    memory: Memory, store: Store
) -> None:
    """It is of nobody in particular, and yet of those who talk there."""
    people = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
    talk = Conversation(
        id="talk", messages=(Message(text="hello", user="ana"),), participants=people
    )
    memory.ingest(talk, Scope(user="ana"))
    failed(store, "j", {"session": session_of("talk")}, user="")

    told = {
        "ana": seen(memory, Scope(user="ana")),
        "within": seen(memory, Scope(user="ben", session="talk")),
        "eve": seen(memory, Scope(user="eve")),
    }
    assert told == {"ana": [SAID], "within": [SAID], "eve": []}


@pytest.mark.covers("LS-72")
def test_jobs_of_the_store_itself_are_an_administrators(memory: Memory, store: Store) -> None:
    """What everybody's work adds up to, such as vectors that wait or a model's answer about
    everybody's tools, shows to no user, agent or session, and to nobody without that right.
    """
    failed(store, "j", {}, user="")
    with store.transaction(tenant=None) as tx:
        Jobs(tx).add("default", EMBED_JOB, EMBED_JOB, user="", args={}, run_at=NINE)
    administrator = memory.for_principal(Principal())
    others = memory.for_principal(Principal(name="ben", rights=frozenset({Right.READ})))
    nobody, scopes = Scope(shared=True), (COOK, Scope(user="ben"), Scope(agent="cook"))

    assert seen(administrator, nobody) == [SAID]
    assert [seen(administrator, scope) for scope in scopes] == [[], [], []]
    assert [job.id for scope in (nobody, *scopes) for job in others.jobs.list(scope)] == []
    counted = [one.kind for scope in (nobody, *scopes) for one in others.stats(scope).jobs]
    assert counted == []

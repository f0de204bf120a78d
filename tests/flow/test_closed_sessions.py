"""A closed session, private or shared, tells an outsider nothing: no score, count or order moves,
whatever is said in it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from omoide.memory import Memory
from omoide.nouns.hit import Recall
from omoide.nouns.match import Where
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.text.words import query_terms
from tests.fix_memory import NOBODY, OpenMemory

MANY = 1_000
BEN, CYN = Scope(user="ben"), Scope(user="cyn")
TALKERS = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
# what the closed session says, what is said outside, both, and a slip of what is said in it alone
QUESTIONS = (
    *("merger", "wombat koala", "Who meets the wombat?", "the secret merger of the harbour"),
    *("mergr", "What was said on Monday?", "tea"),
)
OUTSIDERS = {
    "private": (Scope(user="ana"), Scope(user="ana", session="other"), CYN),
    "shared": (Scope(user="ana"), CYN, Scope(user="cyn", session="s"), NOBODY),
}


def fill(memory: Memory) -> None:
    """What is said outside: by each user, and by nobody."""
    for scope in (Scope(user="ana"), BEN, CYN, NOBODY):
        for n in range(4):
            memory.remember(f"The wombat and the koala meet at {n} o'clock for tea", scope)
    for user in ("ana", "cyn"):
        texts = ("Does the wombat come on Monday?", "It does, with the koala", "Good")
        messages = tuple(Message(text=text) for text in texts)
        memory.ingest(Conversation(id="other", messages=messages), Scope(user=user))


def say(memory: Memory, kind: str, count: int) -> None:
    """Say things in the closed session."""
    messages = tuple(
        Message(text=f"The secret merger of the harbour, wombat number {n}, is on Monday over tea")
        for n in range(count)
    )
    if kind == "private":
        memory.ingest(messages, Scope(user="ana", session="p"), private=True)
    else:
        memory.ingest(Conversation(id="s", participants=TALKERS, messages=messages), BEN)


def told(recall: Recall) -> object:
    """All that an answer says, but how long it took, and how often a hit was recalled before."""
    steps = [replace(step, ms=0) for step in recall.trace]
    hits = [replace(hit, item=None) for hit in recall.hits]
    return (hits, recall.answerable, steps, recall.degraded)


def raw(memory: Memory, scope: Scope) -> list[object]:
    """The raw scores of words and vectors, with what the index knows of each match."""
    where = Where(scope=scope, as_of=None, known_at=None, now=memory.clock.now())
    found: list[object] = []
    for question in QUESTIONS:
        number, vector = memory.encoders.embed_query(question) or pytest.fail("no embedder")
        with memory.store.transaction(tenant=scope.tenant, write=False) as tx:
            words = tx.match_text(query_terms(question), where, 500)
            near = tx.match_vector(vector, number, where, 500)
            rare = tx.match_text(query_terms(question), where, 500, rarest=1, least=2)
            found += [(m.ref, m.part, m.score, m.signs) for m in (*words, *near, *rare)]
            found += [words.waiting, near.waiting, words.loading, near.loading]
    return found


def answers(memory: Memory, scope: Scope) -> list[object]:
    """All that recall and what rests on it tell."""
    asked = [
        told(memory.recall(Query(text=question, preset=preset), scope, limit=500))
        for question in QUESTIONS
        for preset in ("default", "keyword", "fast")
    ]
    why = [str(memory.why_not("tea", hit.id, scope)) for hit in memory.recall("tea", scope).hits]
    return [raw(memory, scope), asked, why, memory.context("wombat", scope, budget=2_000).text]


def lists(memory: Memory, scope: Scope) -> list[object]:
    """All that lists, counts and the ledger tell; but how often something was recalled."""
    diff = memory.diff(memory.clock.now() - timedelta(days=1), scope=scope)
    return [
        replace(memory.stats(scope), retrievals=0),
        [item.id for item in memory.items.list(scope=scope).items],
        memory.sessions.list(scope=scope),
        [item.id for item in diff.added],
        diff.changes,
    ]


@pytest.mark.parametrize("kind", ["private", "shared"])
def test_a_closed_session_tells_outsiders_nothing(open_memory: OpenMemory, kind: str) -> None:
    """Neither that a word is said there, nor how often, nor how much is said; a thousand turns more
    move nothing. Lists show users their own private sessions.
    """
    memory = open_memory(scope=NOBODY)
    fill(memory)
    say(memory, kind, 1)  # that it is there, its participants know
    strangers = [who for who in OUTSIDERS[kind] if kind == "shared" or who.user != "ana"]
    before = [answers(memory, who) for who in OUTSIDERS[kind]]
    listed = [lists(memory, who) for who in strangers]

    say(memory, kind, MANY)

    assert [answers(memory, who) for who in OUTSIDERS[kind]] == before
    assert [lists(memory, who) for who in strangers] == listed


@pytest.mark.parametrize("kind", ["private", "shared"])
def test_within_a_closed_session_its_words_count_with_those_outside(
    open_memory: OpenMemory, kind: str
) -> None:
    """Who is in it is answered from both, in one order: a word that it says often is common there,
    and rare outside.
    """
    memory = open_memory(scope=NOBODY)
    fill(memory)
    say(memory, kind, 5)
    who, name = (Scope(user="ana"), "p") if kind == "private" else (BEN, "s")
    within, outside = replace(who, session=name), who
    assert any("merger" in hit.text for hit in memory.recall("merger wombat", within).hits)
    assert not any("merger" in hit.text for hit in memory.recall("merger wombat", outside).hits)

"""Forgetting reaches reflections and digests: what rests on the forgotten alone, and every text
that may hold its words.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from omoide.archive.fit import fit
from omoide.faculties.reflection import kinds
from omoide.memory import Memory
from omoide.models.chat.base import Purpose
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import InvalidInput, NotFound
from omoide.nouns.kind import Kind
from omoide.nouns.record_kind import kind_of
from omoide.nouns.reflection import Digest, DigestId, DigestKind, Reflection, ReflectionId
from omoide.store.base import Store
from omoide.tables.jobs import CONDENSE_JOB
from tests.fix_memory import BEN, NINE, turn_of
from tests.fix_teaching import Taught, say
from tests.forgetting import forget
from tests.reflecting import HERE, USERS, condensed, condensing, reflect_on, thoughts

ONE = "Ana wants her answers short"
TWO = "Ana writes all her mails in Portuguese"
THREE = "Ana keeps bees behind the old mill"


def stored(memory: Memory, word: str) -> list[str]:
    """Where a word still stands, of reflections and every version of digests."""
    found = [one.text for one in memory.reflections.list(HERE)] + [
        one.text for one in memory.reflections.digests(HERE, history=True)
    ]
    return [text for text in found if word in text]


@pytest.fixture
def twice(taught: Taught, clock: FixedClock) -> Memory:
    """Two versions of a digest: of ONE, then of TWO and THREE too."""
    memory = condensing(taught, condensed(ONE), condensed(ONE, TWO, THREE), condensed(ONE, TWO))
    reflect_on(memory, clock, ONE)
    memory.reflections.condense(USERS)
    reflect_on(memory, clock, TWO, THREE)
    memory.reflections.condense(USERS)
    return memory


@pytest.mark.covers("LS-78")
def test_a_forgotten_turn_takes_its_reflection_and_the_versions_since(twice: Memory) -> None:
    """The version before is in force again; what the others had absorbed waits, and is in line to
    be condensed; of it nothing lingers.
    """
    receipt = twice.forget(turn_of("talk", 2, HERE), HERE)

    assert (receipt.erased["reflections"], receipt.erased["digests"], receipt.residue) == (1, 1, 0)
    assert receipt.searched > 0 or receipt.pending
    assert stored(twice, "bees") == []
    assert [one.text for one in twice.reflections.digests(USERS)] == [f"[PREFERENCES]\n- {ONE}"]
    assert [one.text for one in twice.reflections.list(USERS, waiting=True)] == [TWO]
    assert [buffer.waiting for buffer in twice.stats(USERS).buffers] == [1]
    assert CONDENSE_JOB in {job.kind for job in twice.jobs.list(USERS)}
    assert twice.admin.verify().problems == ()


def test_with_the_first_reflection_go_all_versions(twice: Memory) -> None:
    """None may hold its words; it cannot be undone."""
    (first,) = (one for one in twice.reflections.list(USERS) if one.text == ONE)

    receipt = twice.forget(first.id, HERE)

    assert (receipt.erased["reflections"], receipt.erased["digests"]) == (1, 2)
    assert (twice.reflections.digests(USERS), stored(twice, "short")) == ([], [])
    assert sorted(one.text for one in twice.reflections.list(USERS, waiting=True)) == [THREE, TWO]
    assert twice.admin.verify().problems == ()
    with pytest.raises(NotFound):
        twice.forget(first.id, HERE)


@pytest.mark.parametrize("turn", [turn_of("talk", 0, HERE), turn_of("talk", 1, HERE)])
def test_a_reflection_goes_with_any_turn_that_it_takes_words_from(
    taught: Taught, clock: FixedClock, turn: str
) -> None:
    """The one with its quote, or the one that named what the quote speaks of."""
    quote = "Please keep what you write about it short."
    told = {
        "level": "user",
        "text": "Ana wants what is written about Project Heron kept short",
        "quote": quote,
        "turn": 2,
    }
    memory = taught(script={Purpose.REFLECT: [thoughts(told)]})
    say(memory, "I work on Project Heron now.", quote, scope=HERE)
    memory.reflections.add("talk", HERE)
    assert [one.source_turns for one in memory.reflections.list(HERE)] == [
        (turn_of("talk", 0, HERE), turn_of("talk", 1, HERE))
    ]

    assert memory.forget(turn, HERE).erased["reflections"] == 1
    assert memory.reflections.list(HERE) == []


@pytest.mark.parametrize("target", [{"session": "talk"}, {"user": "ana"}, {"everything": "all"}])
def test_with_a_session_or_a_user_all_of_theirs_go(twice: Memory, target: dict[str, str]) -> None:
    """And nothing is left to condense."""
    scope = HERE if "session" in target else USERS

    receipt = forget(twice, scope, **target)

    assert (receipt.erased["reflections"], receipt.erased["digests"]) == (3, 2)
    assert (twice.reflections.list(HERE), twice.reflections.digests(HERE, history=True)) == ([], [])
    assert twice.reflections.condense(USERS) == []
    assert twice.admin.verify().problems == ()


def test_nobody_forgets_what_is_anothers(twice: Memory) -> None:
    """Neither a reflection nor a digest of another user."""
    for id in (
        *(one.id for one in twice.reflections.list(USERS)),
        *(one.id for one in twice.reflections.digests(USERS)),
    ):
        with pytest.raises(NotFound):
            twice.forget(id, BEN)


def test_old_secrets_in_reflections_and_digests_are_masked(twice: Memory, store: Store) -> None:
    """In whatever a verb gives, and with scan for good; the ledger stays whole."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (digest,), reflection = twice.reflections.digests(USERS), twice.reflections.list(USERS)[0]
    with store.transaction(tenant=None) as tx:
        tx.run(
            "reflections.rewrite",
            tenant="default",
            id=reflection.id,
            text=f"Ana uses {key}",
            quote=key,
            escaped=0,
        )
        tx.run(
            "digests.rewrite",
            tenant="default",
            id=digest.id,
            text=f"Ana uses {key}",
            escaped=0,
            dropped="[]",
        )
    assert key not in repr((twice.reflections.list(USERS), twice.reflections.digests(USERS)))

    leaks = twice.admin.scan(mask=True)

    assert {(leak.kind, leak.id) for leak in leaks} >= {
        (Kind.REFLECTION, reflection.id),
        (Kind.DIGEST, digest.id),
    }
    assert twice.admin.scan() == []
    assert twice.admin.verify().problems == ()


def test_an_archive_holds_reflections_and_every_version(twice: Memory, tmp_path: Path) -> None:
    """As they were, absorbed or not; loading twice changes nothing, and another user's export has
    none of them.
    """
    before = (twice.reflections.list(HERE), twice.reflections.digests(HERE, history=True))
    file, bens = tmp_path / "all.jsonl", tmp_path / "bens.jsonl"
    twice.admin.export(file, USERS, everything=True)
    twice.admin.export(bens, BEN)
    assert "bees" not in bens.read_text()

    with Memory.open(
        str(tmp_path / "other.db"), embedder="none", agent="clerk", user="ana", background=False
    ) as other:
        counts = other.admin.load(file, everything=True).added
        assert (counts["reflection"], counts["digest"]) == (3, 2)
        assert (
            other.reflections.list(HERE),
            other.reflections.digests(HERE, history=True),
        ) == before
        assert other.admin.verify().problems == ()
        assert other.admin.load(file, everything=True).added.get("digest", 0) == 0


REFLECTION = Reflection(id=ReflectionId("r"), scope=USERS, text=ONE, formed_at=NINE)
DIGEST = Digest(
    id=DigestId("d"),
    scope=USERS,
    kind=DigestKind.USER,
    version=1,
    text=ONE,
    word_limit=300,
    model="m",
    made_at=NINE,
)


@pytest.mark.parametrize(
    "record",
    [
        replace(REFLECTION, text="short " * 36),
        replace(REFLECTION, text=" "),
        replace(REFLECTION, absorbed_at=NINE),
        replace(REFLECTION, formed_at=NINE + timedelta(days=9)),
        replace(REFLECTION, scope=replace(USERS, tenant="other")),
        replace(DIGEST, kind=DigestKind.SESSION),
        replace(DIGEST, kind=DigestKind.PROFILE, scope=HERE),
        replace(DIGEST, version=-1),
        replace(DIGEST, made_at=NINE + timedelta(days=9)),
    ],
)
def test_an_archive_brings_in_no_reflection_that_none_could_be(record: Reflection | Digest) -> None:
    """Over its words, blank, from the future, half absorbed, another tenant's, or of a kind that
    its scope has no digest of.
    """
    assert fit(kinds.REFLECTION, REFLECTION, "default", NINE) == REFLECTION
    assert fit(kinds.DIGEST, DIGEST, "default", NINE) == DIGEST
    kind = kind_of(record)
    assert kind is not None

    with pytest.raises(InvalidInput):
        fit(kind, record, "default", NINE)

"""Doctor: where rows, words and vectors have come apart, found and mended."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from omoide.memory import Memory
from omoide.nouns.embedder import Vector
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.store.base import Store
from tests.fix_memory import turn_of

Texts = Callable[..., list[str]]
S = Scope(user="ana", session="s")


@pytest.fixture
def lived(memory: Memory) -> Memory:
    """A memory with items and turns, all embedded."""
    memory.remember("the wombat sleeps", tags=["zoo"], entities=["animal:wombat"])
    memory.ingest([Message(text="the wombat eats grass"), Message(text="long " * 900)], S)
    memory.admin.tidy()
    return memory


def test_a_sound_store_has_no_findings(lived: Memory) -> None:
    """Not even when looked at deeply."""
    assert lived.admin.doctor() == lived.admin.doctor(deep=True) == []


OTHER: dict[str, dict[str, object]] = {
    "other words": {"own": "koala"},
    "other filters": {"sensitive": 1},
    "another's": {"user": "ben"},
}


def harm(store: Store, what: str) -> None:
    """Let one thing come apart."""
    with store.transaction(tenant=None) as tx:
        item = tx.rows("items.after", tenant="default", after="", limit=1)[0]
        doc = tx.rows("docs.of_ref", tenant="default", kind="item", ref=item["id"])[0]
        if what == "no words":
            tx.rows("docs.forget", tenant="default", kind="item", ref=item["id"])
            tx.run("vectors.drop", tenant="default", doc=doc["doc"])
        elif what in OTHER:
            tx.rows("docs.forget", tenant="default", kind="item", ref=item["id"])
            tx.run("vectors.drop", tenant="default", doc=doc["doc"])
            tx.run(
                "docs.add",
                **{n: doc[n] for n in doc if n not in ("doc", "user_id")}
                | {"user": "ana"}
                | OTHER[what],
            )
        elif what == "a part too many":
            tx.run(
                "docs.add",
                **{n: doc[n] for n in doc if n not in ("doc", "user_id")}
                | {"user": "ana", "part": 1},
            )
        elif what == "words alone":
            tx.run("items.forget", tenant="default", id=item["id"])
        elif what == "part of a turn gone":
            tx.rows("docs.forget", tenant="default", kind="turn", ref=turn_of("s", 1))
        elif what == "vector alone":
            seq = tx.rows("partitions.advance", tenant="default", user="ana")[0]["seq"]
            tx.run(
                "vectors.add",
                tenant="default",
                user="ana",
                model=1,
                seq=seq,
                doc=999_999,
                vector=unit(64),
            )
        elif what == "vector too long":
            tx.run("vectors.drop", tenant="default", doc=doc["doc"])
            tx.run(
                "vectors.add",
                tenant="default",
                user="ana",
                model=1,
                seq=doc["seq"],
                doc=doc["doc"],
                vector=unit(64) * np.float32(3),
            )
        elif what == "another's vector":
            tx.run("vectors.drop", tenant="default", doc=doc["doc"])
            tx.run(
                "vectors.add",
                tenant="default",
                user="ana",
                model=1,
                seq=doc["seq"],
                doc=doc["doc"],
                vector=unit(64),
            )


def unit(width: int) -> Vector:
    """A vector of length 1 that no text has."""
    vector: Vector = np.full(width, width**-0.5, np.float32)
    return vector


HARMS = [
    "no words",
    *OTHER,
    "a part too many",
    "words alone",
    "part of a turn gone",
    "vector alone",
    "vector too long",
    "another's vector",
]


@pytest.mark.covers("GM-30", "LS-17", "GM-46")
@pytest.mark.parametrize("what", HARMS)
def test_what_came_apart_is_found_and_mended(
    what: str, lived: Memory, store: Store, texts: Texts
) -> None:
    """Looking changes nothing; repairing makes it whole again, without a model for words, with one
    for vectors.
    """
    harm(store, what)
    deep = what == "another's vector"

    found = lived.admin.doctor(deep=deep)
    assert found
    assert lived.admin.doctor(deep=deep) == found
    assert any(finding.mended for finding in lived.admin.doctor(repair=True, deep=deep))

    lived.admin.tidy()
    assert lived.admin.doctor(deep=True) == []
    expected = (
        ["the wombat eats grass"]
        if what == "words alone"
        else ["the wombat eats grass", "the wombat sleeps"]
    )
    assert sorted(t for t in texts(lived, "wombat") if "wombat" in t) == expected
    assert lived.stats().coverage[0].percent == 100


@pytest.mark.covers("GM-30")
def test_the_whole_index_can_be_made_anew(lived: Memory, store: Store, texts: Texts) -> None:
    """From the rows alone, with nothing of it left."""
    with store.transaction(tenant=None) as tx:
        refs = [
            ("item", r["id"]) for r in tx.rows("items.after", tenant="default", after="", limit=9)
        ]
        for kind, ref in [*refs, ("turn", turn_of("s", 0)), ("turn", turn_of("s", 1))]:
            for row in tx.rows("docs.forget", tenant="default", kind=kind, ref=ref):
                tx.run("vectors.drop", tenant="default", doc=row["doc"])

    assert len(lived.admin.doctor(repair=True)) == 5  # an item, and turns of one part and of three
    lived.admin.tidy()

    assert set(texts(lived, "wombat")) >= {"the wombat eats grass", "the wombat sleeps"}
    assert lived.admin.doctor(deep=True) == []


def test_every_tenant_is_looked_at(lived: Memory, store: Store) -> None:
    """Not only that of the asker."""
    lived.remember("the koala sleeps", Scope(tenant="other", shared=True))
    with store.transaction(tenant=None) as tx:
        item = tx.rows("items.after", tenant="other", after="", limit=1)[0]
        tx.rows("docs.forget", tenant="other", kind="item", ref=item["id"])

    assert any(item["id"] in f.place for f in lived.admin.doctor())


def link(store: Store, channel: str, sender: str, user: str, tenant: str = "default") -> None:
    """A link as another program may have written it."""
    with store.transaction(tenant=None) as tx:
        tx.run("senders.add", tenant=tenant, channel=channel, sender=sender, user=user, linked_at=0)


@pytest.mark.parametrize(
    ("channel", "sender", "user"),
    [
        ("sig:nal", "7", "ana"),
        ("signal", " 7", "ana"),
        ("signal", "", "ana"),
        ("signal", "7", ""),
        ("", "7", "ana"),
    ],
)
def test_a_sender_that_nobody_is_found_by_is_taken_away(
    channel: str, sender: str, user: str, memory: Memory, store: Store
) -> None:
    """Of a tenant that has nothing else, too; the links that are whole stay."""
    link(store, channel, sender, user, tenant="other")
    memory.at(tenant="other").users.link("signal", "8", "ben")

    assert ["nobody is found by it" in finding.problem for finding in memory.admin.doctor()] == [
        True
    ]
    assert [finding.mended for finding in memory.admin.doctor(repair=True)] == [True]

    assert memory.admin.doctor() == []
    assert [one.sender for one in memory.at(tenant="other").users.senders()] == ["8"]


def test_a_sender_of_a_user_who_is_another_by_now_is_told_of(memory: Memory, store: Store) -> None:
    """Who of the two is meant only a person knows; merging them is named, and does it."""
    users = memory.at(shared=True).users
    users.link("signal", "7", "whatsapp:5")
    assert memory.admin.doctor() == []
    users.link("whatsapp", "5", "ana")

    (found,) = memory.admin.doctor(repair=True)
    assert (found.place, found.mended) == ("sender of 'whatsapp:5' on 'signal'", False)
    assert "omoide users merge" in found.problem

    users.merge("whatsapp:5", "ana")
    assert memory.admin.doctor() == []
    assert users.of("signal", "7").id == "ana"

"""Suggestions made ready to be decided on: their words and vectors, the items that may say the
same, what a model would do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from omoide.learning.dispose import Told, is_learnt, means
from omoide.learning.extraction import Choice, Operation, Suggestion, portions
from omoide.learning.suggestions import Suggester
from omoide.learning.weigh import Weighed, says_no_more
from omoide.models.base import checked
from omoide.models.embedders.encoders import Encoders, VectorsByModel
from omoide.nouns.clock import Clock
from omoide.nouns.item import Item
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Role, Turn
from omoide.store.base import Store, Transaction
from omoide.tables.documents import Documents, Words
from omoide.tables.items import Items
from omoide.text.sameness import same_text
from omoide.text.within import stands_in
from omoide.write.index import item_words
from omoide.write.neighbours import NEIGHBOURS, about_the_same, look_alikes, near, then_alike

KNOWN = 10  # items that a model is shown with a talk


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """A weighed suggestion with all that its decision needs; without an item it only closes
    another, or is refused.
    """

    weighed: Weighed
    item: Item | None = None
    words: Words = field(default_factory=lambda: Words(own=""))
    alike: tuple[str, ...] = ()  # ids of items, open and closed, that may say the same
    seq: int = 0  # where the counter of its partition stood when they were looked for
    told: Told | None = None
    besides: tuple[Told, ...] = ()  # what else it replaces


@dataclass(frozen=True, slots=True)
class Library:
    """What is known, searched as it stands now."""

    store: Store
    tenant: str
    clock: Clock
    encoders: Encoders

    def nearest(self, scope: Scope, turns: Sequence[Turn]) -> list[Item]:
        """The open items nearest to what people say in some turns, at most ten, those of each turn
        in turn.
        """
        said = [turn.text for turn in turns if turn.role is Role.USER]
        if self.encoders.serving is None or not said:
            return []
        number, vectors = (
            self.encoders.serving.model.number,
            checked(self.encoders.serving.embedder, said),
        )
        with self.store.transaction(tenant=scope.tenant, write=False) as tx:
            found = [
                near(tx, scope, (number, vector), self.clock.now(), limit=KNOWN, least=0.0)
                for vector in vectors
            ]
            ids = list(dict.fromkeys(id for nth in zip_longest(*found) for id in nth if id))[:KNOWN]
            items = Items(tx).many(scope, ids)
        return [items[id] for id in ids if id in items and not items[id].is_private]

    def look_up(self, weighed: Sequence[Weighed], known: Mapping[str, Item]) -> list[Compared]:
        """Each suggestion with what may say the same, and what it says of a known item by its mark.

        Raises:
            ModelError: the embedder failed.
        """
        vectors = iter(self.encoders.embed([one.item.text for one in weighed if one.item]))
        with self.store.transaction(tenant=self.tenant, write=False) as tx:
            return [
                self._look_up(tx, one, next(vectors) if one.item else (), known) for one in weighed
            ]

    def _look_up(
        self, tx: Transaction, one: Weighed, vectors: VectorsByModel, known: Mapping[str, Item]
    ) -> Compared:
        target, item, now = known.get(one.suggestion.ref), one.item, self.clock.now()
        told = _told(one.suggestion, target, one) if target else None
        if item is None:
            return Compared(weighed=one, told=told)
        words = _words(item, vectors)
        by_vector = [
            id
            for vector in vectors
            if vector[0] == self._serving
            for id in near(tx, item.scope, vector, now)
        ]
        found = (
            id for nth in zip_longest(by_vector, about_the_same(tx, item, now)) for id in nth if id
        )
        ids = (
            *look_alikes(tx, item, words, now),
            *found,
            *then_alike(tx, item, words, now),
            *((target.id,) if target else ()),
        )
        seq = Documents(tx).counter(item.scope.tenant, item.scope.user)
        return Compared(
            weighed=one, item=item, words=words, alike=tuple(dict.fromkeys(ids)), seq=seq, told=told
        )

    @property
    def _serving(self) -> int | None:
        return self.encoders.serving.model.number if self.encoders.serving else None

    def ask(self, compared: Sequence[Compared], suggester: Suggester) -> list[Compared]:
        """Each suggestion with what a model would do, given the open items that may be about the
        same.

        One question, or none; where it would be longer than what is extracted from at once,
        several.

        Raises:
            ModelError: the model failed.
        """
        with self.store.transaction(tenant=self.tenant, write=False) as tx:
            near = [_open(tx, one) for one in compared]
        notes = {n: one.item for n, one in enumerate(compared) if near[n] and one.item}
        told: dict[int, Compared] = {}
        for part, known in portions(notes, near):
            choices = suggester.choices([notes[n] for n in part], known)
            told |= {
                n: self._chosen(compared[n], choices.get(number, []), known)
                for number, n in enumerate(part, start=1)
            }
        return [told.get(n, one) for n, one in enumerate(compared)]

    def _chosen(
        self, one: Compared, choices: Sequence[Choice], known: Mapping[str, Item]
    ) -> Compared:
        """With choices that name items it was shown, and with the first one's text where that says
        both and nothing else.
        """
        shown = [(choice, known[choice.ref]) for choice in choices if choice.ref in known]
        if not shown or one.item is None:
            return one
        (choice, target), *others = shown
        besides = tuple(
            told
            for told in (_told(other, item, one.weighed) for other, item in others)
            if told.closes
        )
        told = replace(
            one,
            told=_told(choice, target, one.weighed),
            besides=besides,
            alike=tuple(dict.fromkeys((*one.alike, target.id))),
        )
        if choice.op is not Operation.UPDATE or not _says_both(choice.text, one, target):
            return told
        item = replace(one.item, text=choice.text)
        return replace(told, item=item, words=_words(item, self.encoders.embed([item.text])[0]))


def _told(by: Suggestion | Choice, target: Item, one: Weighed) -> Told:
    """What a model would do with an item that it was shown; of a suggestion without a text, its
    quote is what it says.

    What it repeats of the item is no proof where it may be led by what others wrote: then the texts
    have to share a word.
    """
    was = "" if one.led else by.was
    said = one.suggestion.text or one.suggestion.quote
    people = (name.partition(":")[2] for name in target.entities if name.startswith("person:"))
    return Told(
        operation=by.op,
        target=target.id,
        means_it=means(target.text, was, said, {*one.names, *people}),
    )


def _words(item: Item, vectors: VectorsByModel) -> Words:
    own, around = item_words(item)
    return Words(own=own, around=around, vectors=vectors)


def _open(tx: Transaction, one: Compared) -> list[Item]:
    """The open items that may be about the same; none where nothing is to be asked: it waits, was
    learnt, or said in the same words.
    """
    if one.item is None or one.weighed.flags:
        return []
    known = Items(tx).many(one.item.scope, one.alike)
    if any(
        same_text(item.text, one.item.text) or is_learnt(one.item, item) for item in known.values()
    ):
        return []
    return [
        known[id]
        for id in one.alike
        if id in known and known[id].is_open and not known[id].is_private
    ][:NEIGHBOURS]


def _says_both(text: str, one: Compared, target: Item) -> bool:
    """Whether a text has every word of a suggestion, and rests on it and an item together, and on
    nothing else.
    """
    if not text or one.item is None or not stands_in(one.item.text, text):
        return False
    return says_no_more(text, (one.item.text, one.item.quote or "", target.text), one.weighed)

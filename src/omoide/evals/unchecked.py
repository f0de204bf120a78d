"""Learning with the checks off, to hold learning with them on against it: whatever a model says is
done, in a memory of its own.

Nothing is held against what was said, no word weighs more than another, nothing is taken for known
because it reads alike. The model is asked as the product asks it: what of the talk to remember,
then what that is to the items that may say the same. An operation on an item that it was not shown
cannot be done, and is left out. For measuring alone: no setting turns a check off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

from omoide.grounding.claims import Grounded
from omoide.learning.decision import Choice, Intent, portions
from omoide.learning.extraction import Operation, Suggestion, Window, marks, windows
from omoide.learning.grounding import Grounding, drafted
from omoide.learning.neighbours import Compared, Library
from omoide.learning.session_work import AT_ONCE
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.base import Ask, ChatModel, Completion
from omoide.nouns.change import Because
from omoide.nouns.errors import InvalidInput, ModelMissing
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Item, Tier
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.store.base import Transaction
from omoide.tables.items import Items
from omoide.write.apply import Door
from omoide.write.decide import Add, Supersede
from omoide.write.index import words_of
from omoide.write.remember import carry_out, judge

BECAUSE = Because(actor="evaluation", reason="checks off")


class RecordedModel:
    """A model whose answers are kept in order, to answer the same questions alike again."""

    def __init__(self, model: ChatModel) -> None:
        self.id, self._model = model.id, model
        self._answers: dict[tuple[str, ...], deque[Completion]] = {}

    def answer(self, ask: Ask) -> Completion:
        """As the protocol says."""
        answer = self._model.answer(ask)
        self._answers.setdefault(_key(ask), deque()).append(answer)
        return answer

    def again(self) -> Again:
        """One that gives each of the answers so far once more."""
        return Again(
            self.id, self._model, {key: deque(answers) for key, answers in self._answers.items()}
        )


class Again:
    """A model that answers as it did, in order, and is asked where no answer is left; a cassette
    that has none suggests nothing then.
    """

    def __init__(
        self, id: str, model: ChatModel, answers: Mapping[tuple[str, ...], deque[Completion]]
    ) -> None:
        self.id, self._model, self._answers = id, model, answers
        self.unanswered = 0

    def answer(self, ask: Ask) -> Completion:
        """As the protocol says."""
        left = self._answers.get(_key(ask))
        try:
            return left.popleft() if left else self._model.answer(ask)
        except ModelMissing:
            self.unanswered += 1
            return Completion(text='{"items": [], "decisions": []}', model=self.id)


def _key(ask: Ask) -> tuple[str, ...]:
    return (ask.purpose.value, ask.system, ask.text)


class Unchecked:
    """Learns from a memory's sessions for a user, and believes every word of the model."""

    def __init__(self, memory: Memory, scope: Scope, teaching: Teaching) -> None:
        self._memory, self._scope, self._everybody = memory, scope, teaching.learn_from == "all"
        self._library = Library(memory.store, scope.tenant, memory.clock, memory.encoders)
        self._questions = teaching.questions

    def learn(self, session: str) -> None:
        """Learn from all of a session, part by part as the product does.

        Raises:
            ModelError: the model failed.
        """
        before: list[Turn] = []
        while part := self._memory.sessions.turns(
            session, self._scope, limit=AT_ONCE, first=len(before)
        ):
            said = [
                one
                for window in windows(part, before, everybody=self._everybody)
                for one in self._proposed(window)
            ]
            before += part
            with (
                self._memory.store.transaction(tenant=self._scope.tenant) as tx,
                Door(tx, self._memory.clock, BECAUSE, session=session) as door,
            ):
                door.lock(self._scope)
                for one in said:
                    self._let(tx, door, one)

    def _proposed(self, window: Window) -> list[Compared]:
        """What a model would have done, with the items that it means: as it said, not as it would
        be disposed of.
        """
        questions, known = self._questions, dict[str, Item]()
        if questions.one_call:
            known = marks(self._library.nearest(self._scope, list(window.turns.values())))
        suggestions = questions.suggestions(window, known)
        candidates = [Compared(candidate=self._believed(one, window)) for one in suggestions]
        compared = self._library.look_up(candidates)
        if not questions.one_call:
            return self._decided(compared)
        return [self._chosen(one, [_choice(one.candidate.suggestion)], known) for one in compared]

    def _believed(self, suggestion: Suggestion, window: Window) -> Grounding:
        """A suggestion as the item that it would be, of the turn that it names; without one where
        it has no text or cannot be stored.
        """
        turn = window.turns.get(suggestion.turn or 0)
        believed = Grounding(suggestion=suggestion, turn=turn)
        if not suggestion.text:
            return believed
        try:
            taken = Grounded(turn=turn, span=None, flags=frozenset(), tier=Tier.USER)
            return replace(
                believed, item=drafted(suggestion, taken, turn, self._scope, self._memory.clock)
            )
        except InvalidInput:
            return believed

    def _decided(self, compared: Sequence[Compared]) -> list[Compared]:
        """Each with what the model says that it is to the open items that may say the same, asked
        as the product asks.
        """
        near = self._library.shown(compared)
        notes = {n: one.item for n, one in enumerate(compared) if near[n] and one.item}
        told: dict[int, Compared] = {}
        for part, known in portions(notes, near):
            choices = self._questions.choices([notes[n] for n in part], known)
            told |= {
                n: self._chosen(compared[n], choices.get(number, []), known)
                for number, n in enumerate(part, start=1)
            }
        return [told.get(n, one) for n, one in enumerate(compared)]

    def _chosen(
        self, one: Compared, choices: Sequence[Choice], known: Mapping[str, Item]
    ) -> Compared:
        """A suggestion with the first choice for it, and the others that close something; in the
        words of the choice, if it has any.
        """
        if not choices:
            return one
        told, *others = (
            Intent(operation=choice.op, target=known.get(choice.ref)) for choice in choices
        )
        one = replace(one, told=told, besides=tuple(other for other in others if other.closes))
        if one.item is None or choices[0].op is not Operation.UPDATE or not choices[0].text:
            return one
        item = replace(one.item, text=choices[0].text)
        vectors = self._memory.encoders.embed([item.text])[0]
        return replace(one, item=item, words=words_of(item, vectors))

    def _let(self, tx: Transaction, door: Door, one: Compared) -> None:
        """Let what the model said happen; nothing does where it names an item that there is not, or
        says that one says it already.
        """
        operation = one.told.operation if one.told else Operation.ADD
        target = _standing(tx, self._scope, one.told) if one.told else None
        adds = operation is Operation.ADD
        if operation is Operation.NONE or (not adds and target is None):
            return
        if one.item is not None:
            self._add(tx, door, one, one.item, None if adds else target)
        elif operation is Operation.DELETE and target is not None:
            turn = one.candidate.turn
            door.retract(target, at=turn.at if turn else None)

    def _add(
        self, tx: Transaction, door: Door, one: Compared, item: Item, old: Item | None
    ) -> None:
        """Add an item, in the place of an old one if there is any, and close what else it does."""
        decision = Add() if old is None else Supersede(item=old)
        clock = self._memory.clock
        carry_out(door, judge(tx, clock, item, one.words, (), lambda *_: decision))
        for told in one.besides:
            other = _standing(tx, self._scope, told)
            if other is not None and other.id != item.id:
                door.retract(other, at=item.valid_from)


def _choice(suggestion: Suggestion) -> Choice:
    return Choice(note=0, op=suggestion.op, ref=suggestion.ref)


def _standing(tx: Transaction, scope: Scope, told: Intent) -> Item | None:
    """The open item that is meant, or what took its place."""
    id: ItemId | None = told.target.id if told.target else None
    while id is not None:
        item = Items(tx).find(scope.tenant, id)
        if item is None or item.is_open:
            return item
        id = item.superseded_by
    return None

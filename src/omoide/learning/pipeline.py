"""The stages of learning in order, up to what each candidate is told to become; application carries
that out. docs/concepts/learning.md tells what each stage takes and gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from omoide.grounding.claims import Flag
from omoide.learning.decision import LOST_CHARS, Choice, Intent, intent_of, meant, portions, twin_of
from omoide.learning.extraction import Operation, Suggestion, Window, marks, windows
from omoide.learning.grounding import Destination, Grounding, grounded
from omoide.learning.judgement import NoteVerdict, Support, in_parts, support, to_judge
from omoide.learning.merging import stands
from omoide.learning.neighbours import Compared, Library
from omoide.learning.questions import Questions
from omoide.learning.revision import DROPPED, revised, to_revise
from omoide.nouns.clock import Clock
from omoide.nouns.errors import ModelError
from omoide.nouns.item import Item, Tier
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.write.index import words_of

NOTHING: Mapping[str, Item] = {}


@dataclass(frozen=True, slots=True)
class _WindowCandidate:
    """A candidate with the window that it was made from, and the items that were shown with it."""

    candidate: Grounding
    window: Window
    known: Mapping[str, Item]


@frozen_record
class Pipeline:
    """The stages with the models that they ask and what is known."""

    questions: Questions
    library: Library
    clock: Clock
    place: Destination

    def run(self, turns: Sequence[Turn], before: Sequence[Turn], scope: Scope) -> list[Compared]:
        """What a model suggests of some turns, ready for application.

        Raises:
            ModelError: a model failed.
        """
        drafts = self._extracted(turns, before, scope)
        if not self.questions.one_call:
            drafts = self._revised(drafts)
        compared = self.library.look_up(self._judged([one.candidate for one in drafts]))
        if self.questions.one_call:
            return [
                _as_suggested(one, draft.known) for one, draft in zip(compared, drafts, strict=True)
            ]
        return self._decided(compared)

    def _extracted(
        self, turns: Sequence[Turn], before: Sequence[Turn], scope: Scope
    ) -> list[_WindowCandidate]:
        """Stages 1 and 2: what a model would note of each window, grounded."""
        drafts: list[_WindowCandidate] = []
        for window in windows(turns, before, everybody=self.place.learn_from == "all"):
            known = (
                marks(self.library.nearest(scope, list(window.turns.values())))
                if self.questions.one_call
                else {}
            )
            suggestions = self.questions.suggestions(window, known)
            drafts += [
                _WindowCandidate(self._grounded(one, window, scope, known), window, known)
                for one in suggestions
            ]
        return drafts

    def _grounded(
        self,
        suggestion: Suggestion,
        window: Window,
        scope: Scope,
        known: Mapping[str, Item] = NOTHING,
    ) -> Grounding:
        """A suggestion held against its window, and the item that it was shown and means."""
        names = self.library.names(scope, suggestion.entities)
        place = replace(self.place, names=self.place.names | names)
        item = meant(suggestion.ref, known)
        return grounded(suggestion, window, place, self.clock, item.text if item else "")

    def _revised(self, drafts: Sequence[_WindowCandidate]) -> list[_WindowCandidate]:
        """Stage 3: those with findings, given anew or dropped."""
        done, places = list(drafts), to_revise([one.candidate for one in drafts])
        if not places:
            return done
        answers = self.questions.revisions([drafts[n].candidate for n in places])
        for number, n in enumerate(places, start=1):
            revision, draft = answers.get(number), drafts[n]
            if revision is None:
                continue
            if revision.drop:
                candidate = replace(draft.candidate, item=None, refused=DROPPED)
            else:
                scope = self.place.user or self.place.agent
                anew = revised(draft.candidate.suggestion, revision)
                candidate = self._grounded(anew, draft.window, scope) if scope else draft.candidate
            done[n] = replace(draft, candidate=candidate)
        return done

    def _judged(self, candidates: Sequence[Grounding]) -> list[Compared]:
        """Stage 4: each with what it is, by a judge or by the findings."""
        verdicts: dict[int, NoteVerdict] = {}
        if self.questions.judge:
            for part in in_parts(to_judge(candidates), candidates):
                answers = self.questions.verdicts([candidates[n] for n in part])
                verdicts |= {
                    n: answers[number] for number, n in enumerate(part, 1) if number in answers
                }
        done: list[Compared] = []
        for n, one in enumerate(candidates):
            is_what, why = support(one.findings, verdicts.get(n))
            kept = one
            if is_what is Support.REJECTED and not one.refused:
                kept = replace(one, item=None, refused=why[0])
            kept = _in_doubt(kept) if is_what is Support.UNCONFIRMED else kept
            done.append(Compared(candidate=kept, support=is_what, doubts=why, judged=n in verdicts))
        return done

    def _decided(self, compared: Sequence[Compared]) -> list[Compared]:
        """Stage 6: each with what a model would do; merges that lose something are asked for once
        more, all together.
        """
        near = self.library.shown(compared)
        notes = {
            n: one.item
            for n, one in enumerate(compared)
            if one.item and (near[n] or one.twins or any(n in two.twins for two in compared))
        }
        done = list(compared)
        for part, known in portions(notes, near):
            if not known and not any(compared[n].close for n in part):
                continue
            choices = self.questions.choices([notes[n] for n in part], known)
            for number, n in enumerate(part, start=1):
                done[n] = self._told(compared[n], choices.get(number, []), known, part)
        return self._asked_again(done, notes, near)

    def _asked_again(
        self,
        done: list[Compared],
        notes: Mapping[int, Item],
        near: Sequence[Sequence[Item]],
    ) -> list[Compared]:
        """Merges that lost something, asked for once more with what is missing."""
        losing = {
            n: notes[n]
            for n, one in enumerate(done)
            if one.told and one.told.closes and one.told.stands and one.told.lost
        }
        for part, known in portions(losing, near, spare=2 * LOST_CHARS):
            lost = {number: told.lost for number, n in enumerate(part, 1) if (told := done[n].told)}
            try:
                choices = self.questions.choices([losing[n] for n in part], known, lost)
            except ModelError:  # nothing closes; the two stand beside each other
                continue
            for number, n in enumerate(part, start=1):
                again = self._told(done[n], choices.get(number, []), known, part)
                if again.told and again.told.closes and not again.told.lost:
                    done[n] = again
        return done

    def _told(
        self,
        one: Compared,
        choices: Sequence[Choice],
        known: Mapping[str, Item],
        part: Sequence[int],
    ) -> Compared:
        """A candidate with what a model said of it, and with the first entry's text where that
        merges the two.
        """
        item = one.item
        if item is None or not choices:
            return one
        choice, *others = choices
        first = intent_of(choice, meant(choice.ref, known), item, _twin(choice, one, part))
        if first.merges:
            item = replace(item, text=first.text)
            vectors = self.library.encoders.embed([item.text])[0]
            one = replace(one, item=item, words=words_of(item, vectors))
        besides = (intent_of(other, meant(other.ref, known), item) for other in others)
        return replace(one, told=first, besides=tuple(told for told in besides if told.closes))


def _in_doubt(one: Grounding) -> Grounding:
    """An unconfirmed candidate is nobody's word yet, but the model's; beside what others wrote, or
    as a page speaks, theirs.
    """
    led = one.led or Flag.TO_ASSISTANT in one.findings
    tier = min(one.tier, Tier.DOCUMENT if led else Tier.AGENT)
    return replace(one, tier=tier, item=one.item and replace(one.item, tier=tier))


def _twin(choice: Choice, one: Compared, part: Sequence[int]) -> int | None:
    """The place of the earlier candidate that a choice says is the same, if it is near."""
    number = twin_of(choice.ref)
    if choice.op is not Operation.NONE or number is None or not 1 <= number <= len(part):
        return None
    return part[number - 1] if part[number - 1] in one.twins else None


def _as_suggested(one: Compared, known: Mapping[str, Item]) -> Compared:
    """A candidate of one call, which says itself what it does to an item that was shown."""
    suggestion = one.candidate.suggestion
    target = meant(suggestion.ref, known)
    if target is None:
        return one
    choice = Choice(note=0, op=suggestion.op, ref=suggestion.ref, was=suggestion.was)
    if one.item is None:  # it only closes
        told = Intent(operation=choice.op, target=target, stands=stands(choice.was, target.text))
        return replace(one, told=told)
    return replace(one, told=intent_of(choice, target, one.item))

"""The four questions that learning asks a model: what to note of a talk, what to mend, what the
talk bears out, and what to do with it given what is known; and texts made of records, with the
judge's word on their lines. What it says is believed by nobody yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from omoide.learning.decision import (
    COMPARED_CHARS,
    Choice,
    compared_lines,
    read_choices,
)
from omoide.learning.drafts import Drafted, Line, Writing, borne_out, lines_text
from omoide.learning.extraction import Suggestion, Window, known_lines, read_suggestions
from omoide.learning.grounding import Grounding
from omoide.learning.judgement import NoteVerdict, judgement_text, read_verdicts
from omoide.learning.revision import Revision, read_revisions, revision_text
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Purpose
from omoide.models.prompts import prompt
from omoide.nouns.errors import BadAnswer
from omoide.nouns.item import Item
from omoide.nouns.record.frozen import frozen_record
from omoide.settings.config import Strategy

T = TypeVar("T")
D = TypeVar("D", bound=Drafted)


@frozen_record
class Questions:
    """A model with what it is told besides the talk: steering, and who the agent is."""

    asker: Asker
    strategy: Strategy = "two-calls"
    steering: str = ""
    persona: str = ""
    judge: bool = True  # whether a judge is asked

    @property
    def one_call(self) -> bool:
        """Whether extraction and decision are one question."""
        return self.strategy == "one-call"

    def suggestions(self, window: Window, known: Mapping[str, Item]) -> list[Suggestion]:
        """What a model would remember of a window; ``known`` is shown by its marks in the strategy
        of one call.

        Raises:
            ModelError: it failed, or what it said is no answer.
        """
        rules = [
            prompt("extract"),
            prompt("operations") if self.one_call else "",
            self.steering,
            f"The assistant: {self.persona}" if self.persona else "",
        ]
        shown = f"\n\nKnown:\n{known_lines(known, COMPARED_CHARS) or 'nothing'}"
        return self.asker.ask(
            Purpose.EXTRACT,
            "\n".join(rule for rule in rules if rule),
            window.text + (shown if self.one_call else ""),
            read_suggestions,
        )

    def revisions(self, candidates: Sequence[Grounding]) -> dict[int, Revision]:
        """What a model makes of candidates with findings, by their numbers from 1; nothing where
        its answer cannot be read.

        Raises:
            ModelError: it failed.
        """
        return self._read(Purpose.REVISE, revision_text(candidates), read_revisions)

    def verdicts(self, candidates: Sequence[Grounding]) -> dict[int, NoteVerdict]:
        """What a judge says of candidates, by their numbers from 1; nothing where its answer cannot
        be read.

        Raises:
            ModelError: it failed.
        """
        return self._read(Purpose.JUDGE, judgement_text(candidates), read_verdicts)

    def write(self, writing: Writing[D, T]) -> T:
        """What becomes of a text that a model writes, given what a judge says of its lines. Where
        none is asked, a text that may not be is asked for once more.

        Raises:
            ModelError: it failed, or what it said may not become the text.
        """
        purpose, asker = writing.purpose, self.asker
        if not self.judge:
            return asker.ask(purpose, writing.rules, writing.material, writing.unjudged)
        draft = asker.ask(purpose, writing.rules, writing.material, writing.read)
        try:
            verdicts = self.line_verdicts(draft.lines, writing.sources)
            return writing.settle(draft, borne_out(draft.lines, verdicts))
        except ValueError as error:
            said = "\n".join(line.text for line in draft.lines)
            raise BadAnswer(asker.model_id(purpose), purpose.value, str(error), said) from None

    def line_verdicts(
        self, lines: Sequence[Line], sources: Mapping[str, str]
    ) -> dict[int, NoteVerdict]:
        """What a judge says of lines, by their places from 0, given their sources by marks. It is
        asked once, and only of lines that no source has word for word.

        Raises:
            ModelError: the judge failed.
        """
        new = [n for n, line in enumerate(lines) if not line.is_said]
        if not (self.judge and new):
            return {}
        text = lines_text([lines[n] for n in new], sources)
        said = self._read(Purpose.JUDGE, text, read_verdicts, "judge_lines")
        return {n: said[at] for at, n in enumerate(new, start=1) if at in said}

    def _read(
        self,
        purpose: Purpose,
        text: str,
        read: Callable[[dict[str, Any]], dict[int, T]],
        rules: str = "",
    ) -> dict[int, T]:
        """An answer by numbers; nothing where it cannot be read. rules: which instructions it is
        given, if not those of the purpose's name.
        """
        try:
            return self.asker.ask(purpose, prompt(rules or purpose.value), text, read)
        except BadAnswer:
            return {}

    def choices(
        self,
        notes: Sequence[Item],
        known: Mapping[str, Item],
        lost: Mapping[int, Sequence[str]] | None = None,
    ) -> dict[int, list[Choice]]:
        """What a model would do with each note, by its number from 1, given items by their marks;
        one question for all. lost: what its texts for notes lost when it was asked before.

        After the first of a note come those that say what it replaces besides. Nothing where its
        answer cannot be read: all is added then.

        Raises:
            ModelError: it failed.
        """
        return self._read(Purpose.DECIDE, compared_lines(notes, known, lost), read_choices)

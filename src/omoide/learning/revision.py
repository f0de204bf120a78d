"""Stage 3, revision: candidates with findings go back to the model once, with what a check found.
It gives each anew, or drops it. Pure, but for the ids that items get.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from omoide.grounding.claims import Flag
from omoide.learning.entries import by_note
from omoide.learning.extraction import Suggestion, read_suggestion, shown, told_at, who
from omoide.learning.grounding import Grounding
from omoide.models.chat.answers import one_line
from omoide.nouns.proposal import in_words
from omoide.nouns.record.frozen import frozen_record

SHOWN_CHARS = 1_500  # of a message
DROPPED = "the model took it back"
# what no other wording mends
_TO_BE_JUDGED = frozenset((Flag.TO_ASSISTANT, Flag.RECALLED))


@frozen_record
class Revision:
    """What a model says of a candidate when it looks again: fields that it gives anew, or that it
    drops it.
    """

    fields: Mapping[str, Any]
    drop: bool = False


def to_revise(candidates: Sequence[Grounding]) -> list[int]:
    """The places of those that another wording may mend."""
    return [
        n
        for n, one in enumerate(candidates)
        if not one.refused and one.item is not None and one.findings - _TO_BE_JUDGED
    ]


def revision_text(candidates: Sequence[Grounding]) -> str:
    """Candidates as a model is shown them: the message, the note, its quote, and what was found."""
    return "\n".join(_lines(n, one) for n, one in enumerate(candidates, start=1))


def _lines(n: int, one: Grounding) -> str:
    turn = one.turn
    message = (
        f"{told_at(turn).removeprefix('# ')} {who(turn)}: {one_line(shown(turn, SHOWN_CHARS))}"
        if turn
        else "no such message"
    )
    return "\n".join(
        (
            f"{n}. message {message}",
            f"   note: {one_line(one.suggestion.text)}",
            f"   quote: {one_line(one.suggestion.quote)}",
            f"   found: {in_words(sorted(one.findings))}",
        )
    )


def read_revisions(answer: dict[str, Any]) -> dict[int, Revision]:
    """The revisions in an answer, by the number of the note they are of; the first for each.

    Raises:
        ValueError: it has no list of them.
    """
    found: dict[int, Revision] = {}
    for note, value in by_note(answer, "notes", "text"):
        revision = Revision(fields=value, drop=value.get("drop") is True)
        found.setdefault(note, revision)
    return found


def revised(suggestion: Suggestion, revision: Revision) -> Suggestion:
    """A suggestion with the fields that were given anew; what it would do to an item stays."""
    anew = read_suggestion(revision.fields)
    given = {
        name: getattr(anew, name)
        for name in ("text", "quote", "turn", "category", "since", "until", "due", "holds", "who")
        if one_line(revision.fields.get(name))
        or (name in ("since", "until", "due") and name in revision.fields)
    }
    if "entities" in revision.fields:
        given["entities"] = anew.entities
    if "negated" in revision.fields:
        given["negated"] = anew.negated
    return replace(suggestion, **given)

"""What verbs hand out: a secret in a record that was stored before it was masked at the door is
masked here.

The record itself stays as it is, to be found by its words and forgotten by its id; ``scan`` masks
it for good.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from omoide.nouns.hit import Hit, Recall
from omoide.nouns.procedure import Lesson
from omoide.nouns.proposal import ForReview
from omoide.nouns.query import Query
from omoide.nouns.record_kind import kind_of
from omoide.nouns.reflection import Profile
from omoide.read.lineage import Diff, History
from omoide.read.listings import Page
from omoide.tables.listing import Listing
from omoide.tables.sessions import SessionPreview
from omoide.tables.tools import ToolSummary
from omoide.text.secrets.fields import mask_line
from omoide.text.secrets.records import as_shown, mask_value, with_values


def shown(result: Any) -> Any:
    """What a verb gives, with the secrets in its records masked; what holds no record as it is."""
    if kind_of(result) is not None:
        return as_shown(result)
    match result:
        case list():
            return [shown(one) for one in result]
        case tuple() if type(result) is tuple:
            return tuple(shown(one) for one in result)
        case Hit():
            return _hit(result)
        case _:
            fields = _FIELDS.get(type(result), {})
            return with_values(
                result, {name: mask(getattr(result, name)) for name, mask in fields.items()}
            )


def asks_for_sensitive(call: Any) -> bool:
    """Whether a call, a ``functools.partial``, asks for what is sensitive too."""
    values = (*call.args, *call.keywords.values())
    return bool(call.keywords.get("include_sensitive")) or any(
        (isinstance(one, Query) and one.include_sensitive)
        or (isinstance(one, Listing) and one.sensitive is not False)
        for one in values
    )


def _hit(hit: Hit) -> Hit:
    """A hit with its record masked; its text is the record's, unless it is a part of that."""
    item, turn = shown(hit.item), shown(hit.turn)
    whole = hit.item or hit.turn
    masked = (item or turn).text if whole and whole.text == hit.text else mask_line(hit.text)
    return with_values(hit, {"text": masked, "item": item, "turn": turn})


def _changes(changes: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((sign, mask_line(piece)) for sign, piece in changes)


# what results that are no records hold of records and texts, and how each is masked
_FIELDS: Mapping[type, Mapping[str, Callable[[Any], Any]]] = {
    Recall: {"hits": shown},
    Page: {"items": shown},
    History: {"items": shown},
    Diff: {"added": shown, "removed": shown},
    Lesson: {"procedure": shown},
    Profile: {"lines": mask_value},
    SessionPreview: {"session": shown, "preview": mask_value},
    ForReview: {"proposal": shown, "target": shown, "text": mask_value, "changes": _changes},
    ToolSummary: {"last_error": mask_value},
}

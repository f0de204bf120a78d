"""What verbs hand out: a secret in a record that was stored before it was masked at the door is masked here.

The record itself stays as it is, to be found by its words and forgotten by its id; ``scan`` masks it for good.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from omoide.proposals import ForReview, Proposal
from omoide.read.lineage import Diff, History
from omoide.read.reads import Page
from omoide.records import Entity, Hit, Item, Metadata, Recall, Session, Turn
from omoide.reflections import Digest, Profile, Reflection
from omoide.tables.sessions import Preview
from omoide.tables.tools import ToolCall, ToolSummary
from omoide.text.secrets import mask_secrets
from omoide.text.secrets.fields import mask_json, mask_key, mask_line

Record: TypeAlias = Item | Turn | Session | Entity | Reflection | Digest
T = TypeVar("T")


def shown(result: Any) -> Any:
    """What a verb gives, with the secrets in its records masked; what holds no record as it is."""
    match result:
        case Item():
            return _with(_clean_item(result), entities=tuple(map(mask_line, result.entities)))
        case Turn() | Session() | Entity() | Reflection() | Digest():
            return without_secrets(result)
        case Profile():
            return _with(result, lines=tuple(map(mask_line, result.lines)))
        case list():
            return [shown(one) for one in result]
        case tuple() if type(result) is tuple:
            return tuple(shown(one) for one in result)
        case Hit():
            item, turn = shown(result.item), shown(result.turn)
            whole = result.item or result.turn
            masked = (item or turn).text if whole and whole.text == result.text else mask_line(result.text)
            return _with(result, text=masked, item=item, turn=turn)
        case ToolCall():
            error = mask_line(result.error) if result.error else result.error
            return _with(result, args=mask_line(result.args), result=mask_line(result.result), error=error)
        case Preview():
            return _with(result, session=shown(result.session), preview=mask_line(result.preview))
        case ToolSummary(last_error=str(error)):
            return _with(result, last_error=mask_line(error))
        case _:
            held = {name: shown(getattr(result, name)) for name in _HELD.get(type(result), ())}
            return _with(result, **held)


_HELD: Mapping[type, tuple[str, ...]] = {
    Recall: ("hits",), Page: ("items",), History: ("items",), Diff: ("added", "removed"), Proposal: ("item",),
    ForReview: ("proposal", "target"),
}  # fmt: skip


def without_secrets(record: Record) -> Record:
    """The record with the secrets in all its texts masked; equal to it where it has none."""
    match record:
        case Item():
            return _clean_item(record)
        case Turn():
            masked = mask_secrets(record.text, known=record.masks)
            key = mask_key(record.key) if record.key else None
            speaker, metadata = mask_line(record.speaker), _clean(record.metadata)
            return _with(record, text=masked.text, masks=masked.masks, speaker=speaker, metadata=metadata, key=key)
        case Session():
            people = tuple(replace(p, name=mask_line(p.name)) for p in record.participants)
            title, channel, metadata = mask_line(record.title), mask_line(record.channel), _clean(record.metadata)
            return _with(record, title=title, channel=channel, participants=people, metadata=metadata)
        case Entity():
            return _with(record, name=mask_line(record.name), aliases=tuple(map(mask_line, record.aliases)))
        case Reflection():
            return _with(record, text=mask_line(record.text), quote=mask_line(record.quote))
        case Digest():
            return _with(record, text=mask_line(record.text), dropped=tuple(map(mask_line, record.dropped)))


def _clean_item(item: Item) -> Item:
    masked = mask_secrets(item.text, known=item.masks)
    return _with(
        item,
        text=masked.text,
        masks=masked.masks,
        quote=mask_line(item.quote) if item.quote else None,
        domain=mask_line(item.domain) if item.domain else None,
        tags=tuple(dict.fromkeys(map(mask_line, item.tags))),
        metadata=_clean(item.metadata),
        origin=mask_line(item.origin) if item.origin else None,
    )


def _clean(metadata: Metadata) -> Metadata:
    clean = mask_json(dict(metadata))
    assert isinstance(clean, dict)
    return clean


def _with(record: T, **values: Any) -> T:
    """The record with these values: itself if it has them already, as nearly every one does."""
    if all((held := getattr(record, name)) is value or held == value for name, value in values.items()):
        return record
    return replace(record, **values)  # type: ignore[type-var]

"""What verbs hand out: a secret in a record that was stored before it was masked at the door is
masked here.

The record itself stays as it is, to be found by its words and forgotten by its id; ``scan`` masks
it for good.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from omoide.nouns.entity import Entity
from omoide.nouns.hit import Hit, Recall
from omoide.nouns.item import Item
from omoide.nouns.metadata import Json, Metadata
from omoide.nouns.procedure import Lesson, Procedure
from omoide.nouns.proposal import ForReview, Proposal
from omoide.nouns.query import Query
from omoide.nouns.reflection import Digest, Profile, Reflection
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.read.lineage import Diff, History
from omoide.read.listings import Page
from omoide.tables.items import Listing
from omoide.tables.jobs import Told
from omoide.tables.sessions import Preview
from omoide.tables.tools import ToolCall, ToolSummary
from omoide.text.secrets import mask_secrets
from omoide.text.secrets.fields import mask_json, mask_key, mask_line

# what a job and a change call the ids they hold, which may look like keys
IDS = frozenset({"agent", "context", "session", "user"})
Record: TypeAlias = (
    Item | Turn | Session | Entity | Reflection | Digest | Proposal | Procedure | ToolCall | Told
)
T = TypeVar("T")


def shown(result: Any) -> Any:
    """What a verb gives, with the secrets in its records masked; what holds no record as it is."""
    match result:
        case Item():
            return _with(_clean_item(result), entities=tuple(map(mask_line, result.entities)))
        case (
            Turn()
            | Session()
            | Entity()
            | Reflection()
            | Digest()
            | Proposal()
            | Procedure()
            | ToolCall()
        ):
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
            masked = (
                (item or turn).text
                if whole and whole.text == result.text
                else mask_line(result.text)
            )
            return _with(result, text=masked, item=item, turn=turn)
        case Preview():
            return _with(result, session=shown(result.session), preview=mask_line(result.preview))
        case ForReview():
            changes = tuple((sign, mask_line(piece)) for sign, piece in result.changes)
            held = {name: shown(getattr(result, name)) for name in ("proposal", "target")}
            return _with(result, text=mask_line(result.text), changes=changes, **held)
        case ToolSummary(last_error=str(error)):
            return _with(result, last_error=mask_line(error))
        case _:
            held = {name: shown(getattr(result, name)) for name in _HELD.get(type(result), ())}
            return _with(result, **held)


def asks_for_sensitive(call: Any) -> bool:
    """Whether a call, a ``functools.partial``, asks for what is sensitive too."""
    values = (*call.args, *call.keywords.values())
    return bool(call.keywords.get("include_sensitive")) or any(
        (isinstance(one, Query) and one.include_sensitive)
        or (isinstance(one, Listing) and one.sensitive is not False)
        for one in values
    )


_HELD: Mapping[type, tuple[str, ...]] = {
    Recall: ("hits",),
    Page: ("items",),
    History: ("items",),
    Diff: ("added", "removed"),
    Lesson: ("procedure",),
}


def without_secrets(record: Record) -> Record:
    """The record with the secrets in all its texts masked; equal to it where it has none."""
    match record:
        case Item():
            return _clean_item(record)
        case Turn():
            masked = mask_secrets(record.text, known=record.masks)
            key = mask_key(record.key) if record.key else None
            speaker, metadata = mask_line(record.speaker), _clean(record.metadata)
            return _with(
                record,
                text=masked.text,
                masks=masked.masks,
                speaker=speaker,
                metadata=metadata,
                key=key,
            )
        case Session():
            people = tuple(replace(p, name=mask_line(p.name)) for p in record.participants)
            title, channel, metadata = (
                mask_line(record.title),
                mask_line(record.channel),
                _clean(record.metadata),
            )
            return _with(
                record, title=title, channel=channel, participants=people, metadata=metadata
            )
        case Entity():
            return _with(
                record, name=mask_line(record.name), aliases=tuple(map(mask_line, record.aliases))
            )
        case Reflection():
            return _with(record, text=mask_line(record.text), quote=mask_line(record.quote))
        case Digest():
            return _with(
                record, text=mask_line(record.text), dropped=tuple(map(mask_line, record.dropped))
            )
        case Proposal() | Procedure() | ToolCall() | Told():
            return _clean_other(record)


def _clean_other(record: Proposal | Procedure | ToolCall | Told) -> Record:
    match record:
        case Proposal():
            item = (
                None
                if record.item is None
                else _with(
                    _clean_item(record.item), entities=tuple(map(mask_line, record.item.entities))
                )
            )
            made = None if record.made is None else without_secrets(record.made)
            return _with(
                record,
                item=item,
                made=made,
                origin=mask_line(record.origin) if record.origin else record.origin,
            )
        case Procedure():
            return _clean_procedure(record)
        case ToolCall():
            error = mask_line(record.error) if record.error else record.error
            return _with(
                record, args=_clean_args(record.args), result=mask_line(record.result), error=error
            )
        case Told():
            ids = {name: value for name, value in record.args.items() if name in IDS}
            return _with(
                record, args={**_clean(record.args), **ids}, answer=mask_line(record.answer)
            )


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


def _clean_procedure(procedure: Procedure) -> Procedure:
    lines = {
        name: mask_line(getattr(procedure, name))
        for name in ("name", "when_to_use", "discovery", "activation")
    }
    several = {
        name: tuple(dict.fromkeys(map(mask_line, getattr(procedure, name))))
        for name in ("tools", "tags")
    }
    return _with(procedure, steps=tuple(map(mask_line, procedure.steps)), **lines, **several)


def _clean_args(args: str) -> str:
    """What a tool was called with: JSON, or the start of it, which is a text like any other."""
    try:
        told: Json = json.loads(args)
    except ValueError:
        return mask_line(args)
    clean = mask_json(told)
    return args if clean == told else json.dumps(clean, ensure_ascii=False)


def _clean(metadata: Metadata) -> Metadata:
    clean = mask_json(dict(metadata))
    assert isinstance(clean, dict)
    return clean


def _with(record: T, **values: Any) -> T:
    """The record with these values: itself if it has them already, as nearly every one does."""
    if all(
        (held := getattr(record, name)) is value or held == value for name, value in values.items()
    ):
        return record
    return replace(record, **values)  # type: ignore[type-var]

"""What the product has to know of proposals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.faculties.reflection.digest_text import lines_of
from omoide.nouns.change import Action
from omoide.nouns.ids import SessionId
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import Proposal
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import Edge, RecordKind, Rule, Table, Undoing
from omoide.nouns.reflection import Digest, Reflection
from omoide.nouns.scope import Scope
from omoide.review.decisions import is_proposed_again, is_settled, revert_proposal, revert_proposing
from omoide.store.base import Transaction
from omoide.tables.entities import Entities
from omoide.tables.ledger import Ledger, Past
from omoide.tables.proposals import Proposals
from omoide.text.sameness import name_key
from omoide.text.secrets.fields import mask_line
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.erasing import is_of
from omoide.write.proposals import proposings


def _mask(tx: Transaction, door: Door, tenant: str, proposal: Proposal) -> None:
    Proposals(tx).reword(without_secrets(proposal))
    before = {"agent": proposal.scope.agent or ""}
    door.note(Action.MASK, Kind.PROPOSAL, proposal.id, proposal.scope, before=before)


def _meant(tx: Transaction, scope: Scope, target: Target) -> list[Proposal]:
    if target.user is not None:
        return Proposals(tx).of_user(scope.tenant, target.user)
    if target.id is not None:
        found = [Proposals(tx).find(scope.tenant, target.id)]
        return [one for one in found if one is not None and is_of(scope, one)]
    theirs = [one for one in _seen(tx, scope) if is_of(scope, one)]
    if target.origin is not None:
        origins = {target.origin, mask_line(target.origin)}
        return [one for one in theirs if one.origin in origins]
    if target.entity is not None:
        return _about(tx, scope, target.entity, theirs)
    own = [one for one in theirs if one.scope.user == scope.user]
    items = [one for one in own if one.kind is Kind.ITEM]
    return {"all": own, "items": items}.get(target.sort or "", [])


def _seen(tx: Transaction, scope: Scope) -> list[Proposal]:
    users = dict.fromkeys(("", scope.user or ""))
    return [one for user in users for one in Proposals(tx).of_user(scope.tenant, user)]


def _about(
    tx: Transaction, scope: Scope, name: str, proposals: Iterable[Proposal]
) -> list[Proposal]:
    """Those that would add an item that speaks of an entity, by any of its names."""
    entity = Entities(tx).by_name(scope, name)
    names = {name_key(name), *(map(name_key, (entity.name, *entity.aliases)) if entity else ())}
    return [
        one
        for one in proposals
        if one.item is not None and not names.isdisjoint(map(name_key, one.item.entities))
    ]


def _exported(tx: Transaction, tenant: str, user: str | None) -> list[Proposal]:
    if user is None:
        return Proposals(tx).after(tenant, "", 1_000_000)
    return Proposals(tx).of_user(tenant, user)


def _supports(tx: Transaction, tenant: str, proposal: Proposal) -> list[Set[str]]:
    """What had something wait: each proposing, by its session and by the turns or items that it
    was made of.
    """
    if proposal.what is not None:
        return []
    history = Ledger(tx).of_record(tenant, proposal.id)
    noted = [past for past in history if past.change.action is Action.PROPOSE]
    standing = proposings(tx, tenant, proposal.id) or noted
    by = [{past.change.session, *past.before.get("told", ())} for past in standing]
    # the first is older than such notes
    if all(past.change.session != proposal.session for past in noted):
        by.append({proposal.session})
    return [{id for id in one if id is not None} for one in by]


def _proof(proposal: Proposal) -> list[str]:
    """Every text that a proposal holds, of digests line by line; also as it stands in its
    column.
    """
    texts = _texts(proposal)
    return texts + [json.dumps(text)[1:-1] for text in texts if not text.isascii()]


def _texts(proposal: Proposal) -> list[str]:
    match proposal.what:
        case Item() | Reflection() as said:
            return [text for text in (said.text, said.quote) if text]
        case Digest() as digest:
            return lines_of(digest.text)
        case Procedure() as procedure:
            return list(procedure.texts())
        case None:
            return []


def _let_go(tx: Transaction, door: Door, proposal: Proposal, gone: Mapping[str, Any]) -> None:
    """Let one whose session goes be of another in which it was proposed, too."""
    if proposal.session in gone:
        noted = proposings(tx, proposal.scope.tenant, proposal.id)
        sessions = (past.change.session for past in noted)
        other = next((session for session in sessions if session not in gone), None)
        Proposals(tx).reword(replace(proposal, session=SessionId(other) if other else None))


def _is_settled(tx: Transaction, past: Past, now: datetime, alone: bool) -> bool:
    return is_settled(tx, past) or (not alone and is_proposed_again(tx, past, now))


def _revert(tx: Transaction, door: Door, past: Past, undoing: Undoing) -> None:
    if Ledger(tx).root(past).change.action is Action.PROPOSE:
        revert_proposing(tx, door, past, undoing.group)
    else:
        revert_proposal(tx, door, past, undoing.tier)


PROPOSAL = RecordKind(
    name="proposal",
    record=Proposal,
    plural="proposals",
    tables=(Table("proposals"),),
    texts=("item", "made", "origin"),
    table=Proposals,
    mask=_mask,
    edges=(
        Edge(
            rule=Rule.MADE_OF,
            of=("session", "turn", "item", "reflection", "digest"),
            query="edges.proposals_of_sources",
        ),
        Edge(rule=Rule.SUPPORTS, of=("session", "turn", "item"), query="edges.closings_said_by"),
        Edge(rule=Rule.NAMES, of=("session",), query="edges.proposals_of_sessions"),
    ),
    meant=_meant,
    stats=lambda tx, scope, now: {"waiting": Proposals(tx).count(scope, now)},
    is_settled=_is_settled,
    revert=_revert,
    exported=_exported,
    supports=_supports,
    proof=_proof,
    let_go=_let_go,
)

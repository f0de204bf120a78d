"""What the product has to know of proposals."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Set
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.faculties.reflection.digest_text import lines_of
from omoide.nouns.change import Action
from omoide.nouns.clock import check_moment
from omoide.nouns.errors import Conflict, InvalidInput
from omoide.nouns.ids import SessionId
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import Proposal, ProposalId
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import Edge, RecordKind, Rule, Table, Undoing, kind_named, of_table
from omoide.nouns.reflection import Digest, Reflection
from omoide.nouns.scope import Scope
from omoide.review.reverting import is_proposed_again, is_settled, revert_proposal, revert_proposing
from omoide.store.base import Transaction
from omoide.tables.entities import Entities
from omoide.tables.ledger import Ledger, Past
from omoide.tables.proposals import Proposals
from omoide.tables.sessions import Sessions
from omoide.text.sameness import name_key
from omoide.text.secrets.fields import mask_line
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.checks import ORIGIN_LIMIT, check_id, check_line, check_names
from omoide.write.erasing import is_of
from omoide.write.loading import check_past, check_same
from omoide.write.proposals import proposings


def _mask(tx: Transaction, door: Door, tenant: str, proposal: Proposal) -> None:
    Proposals(tx).reword(without_secrets(proposal))
    door.note_record(Action.MASK, Kind.PROPOSAL, proposal)


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


def _fit(proposal: Proposal, now: datetime) -> Proposal:
    check_past(proposal, ("made_at", "settled_at"), now)
    for name in ("made_at", "expires_at", "settled_at"):
        if (moment := getattr(proposal, name)) is not None:
            check_moment(moment, name)
    session = check_line(proposal.session or "", "session", ORIGIN_LIMIT)
    return replace(
        proposal,
        id=ProposalId(check_id(proposal.id, "id")),
        flags=check_names(proposal.flags, "flags"),
        item=_fit_record(proposal, proposal.item, now),
        made=_fit_record(proposal, proposal.made, now),
        target=check_line(proposal.target or "", "target", ORIGIN_LIMIT) or None,
        session=SessionId(session) or None,
        origin=check_line(proposal.origin or "", "origin", ORIGIN_LIMIT) or None,
    )


def _fit_record(proposal: Proposal, record: Any, now: datetime) -> Any:
    """The record that waits, as the verbs would have made it, of the proposal's own user.

    Raises:
        InvalidInput: it is another's, or a verb would have refused it.
    """
    if record is None:
        return None
    mine, theirs = proposal.scope, record.scope
    if (theirs.tenant, theirs.user, theirs.agent) != (mine.tenant, mine.user, mine.agent):
        raise InvalidInput("scope", "what waits is of another scope than its proposal")
    fit = kind_named(proposal.kind).fit
    return fit(record, now) if fit else record


def _load(
    tx: Transaction, door: Door, proposal: Proposal, told: Container[str]
) -> Mapping[str, int]:
    """Let a proposal wait, or be kept as settled; one to replace what is not there is left out."""
    tenant = proposal.scope.tenant
    there = Proposals(tx).find(tenant, proposal.id)
    if there is not None:
        check_same("proposal", proposal.id, equal=there.text == proposal.text)
        return {}
    if proposal.target is not None and not _may_replace(tx, proposal, proposal.target):
        return {"missing target": 1}
    home = Sessions(tx).find(tenant, proposal.session) if proposal.session else None
    session = None if home is None else proposal.session
    Proposals(tx).add(replace(proposal, session=session))
    if proposal.settled_at is not None:
        Proposals(tx).settle(tenant, proposal.id, proposal.settled_at)
    before = {"agent": proposal.scope.agent or "", "waits": False, "told": []}
    scope = replace(proposal.scope, session=session)
    door.note(Action.PROPOSE, Kind.PROPOSAL, proposal.id, scope, before=before)
    return {"proposal": 1}


def _may_replace(tx: Transaction, proposal: Proposal, target: str) -> bool:
    """Whether there is what a proposal would close.

    Raises:
        Conflict: it is another user's.
    """
    found = kind_named(proposal.kind).find(tx, proposal.scope.tenant, target)
    if found is not None and found.scope.user not in (None, proposal.scope.user):
        raise Conflict(f"proposal {proposal.id!r} names {target!r}, which is another's here")
    return found is not None


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
    is_settled=lambda tx, past, now, alone: (
        is_settled(tx, past) or (not alone and is_proposed_again(tx, past, now))
    ),
    revert=_revert,
    exported=of_table(Proposals),
    fit=_fit,
    load=_load,
    supports=_supports,
    proof=_proof,
    held="proposals.held",
    let_go=_let_go,
)

"""What of proposals goes with what is forgotten: what each was made of, and every text that it
holds.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from omoide.faculties.reflection.digest_text import lines_of
from omoide.nouns.change import Action
from omoide.nouns.ids import SessionId
from omoide.nouns.item import Item
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import Proposal
from omoide.nouns.reflection import Digest, Reflection
from omoide.store.base import Transaction
from omoide.tables.ledger import Ledger
from omoide.tables.proposals import Proposals
from omoide.write.proposals import proposings


def sources_of(proposal: Proposal) -> tuple[str, ...]:
    """The ids of what a proposal was made of, any of which may have words in it: turns, sessions,
    items, reflections, procedures.
    """
    match proposal.what:
        case Item() as item:
            return (*item.source_turns, *item.bases)
        case Reflection() as reflection:
            return reflection.source_turns
        case Digest() | Procedure() as made:
            return made.sources
        case None:
            return ()


def texts_of(proposal: Proposal) -> list[str]:
    """Every text that a proposal holds, of digests line by line."""
    match proposal.what:
        case Item() | Reflection() as said:
            return [text for text in (said.text, said.quote) if text]
        case Digest() as digest:
            return lines_of(digest.text)
        case Procedure() as procedure:
            return list(procedure.texts())
        case None:
            return []


def is_unsaid(tx: Transaction, proposal: Proposal, gone: Collection[str]) -> bool:
    """Whether all that had something wait goes: each proposing's session, or one of the turns or
    items that it was made of.
    """
    tenant = proposal.scope.tenant
    noted = [
        past
        for past in Ledger(tx).of_record(tenant, proposal.id)
        if past.change.action is Action.PROPOSE
    ]
    standing = proposings(tx, tenant, proposal.id) or noted
    by = [{past.change.session, *past.before.get("told", ())} for past in standing]
    # the first is older than such notes
    if all(past.change.session != proposal.session for past in noted):
        by.append({proposal.session})
    return all(not one.isdisjoint(gone) for one in by)


def rehome(tx: Transaction, tenant: str, sessions: Collection[str], going: Collection[str]) -> None:
    """Let what waits on, and was proposed in a session that goes, be of another in which it was
    proposed, too.
    """
    for proposal in Proposals(tx).of_tenant(tenant):
        if proposal.session in sessions and proposal.id not in going:
            noted = (past.change.session for past in proposings(tx, tenant, proposal.id))
            other = next((session for session in noted if session not in sessions), None)
            Proposals(tx).reword(replace(proposal, session=SessionId(other) if other else None))

"""What a model makes besides items, as it waits for a person: what would give way to it, how it
comes to hold, and other wordings of it.
"""

from __future__ import annotations

from dataclasses import replace

from omoide.faculties.procedures.door import add_procedure, teaches, would_supersede
from omoide.faculties.reflection.door import add_digest, add_reflected
from omoide.models.chat.answers import one_line
from omoide.nouns.errors import Conflict, InvalidInput, LookAgain
from omoide.nouns.item import Tier
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import Made, Proposal, Wish
from omoide.nouns.reflection import REFLECTION_WORDS, Digest, DigestKind, Reflection, count_words
from omoide.nouns.skill_file import with_file
from omoide.store.base import Transaction
from omoide.tables.digests import Digests
from omoide.tables.items import Items
from omoide.tables.procedures import Procedures
from omoide.tables.reflections import Reflections
from omoide.tables.turns import Turns
from omoide.write.apply import Door


def in_force(tx: Transaction, proposal: Proposal) -> Digest | Procedure | None:
    """The digest or procedure that would give way to what waits, if it is still there."""
    if proposal.target is None or proposal.made is None:
        return None
    table = Digests(tx) if proposal.kind is Kind.DIGEST else Procedures(tx)
    return table.find(proposal.scope.tenant, proposal.target)


def as_it_stands(tx: Transaction, proposal: Proposal) -> Proposal:
    """A proposal as it would happen now: a procedure supersedes the one of its origin that is
    current by then.
    """
    if not isinstance(proposal.made, Procedure):
        return proposal
    target = would_supersede(tx, proposal.made)
    return replace(proposal, target=target, wish=Wish.SUPERSEDE if target else Wish.ADD)


def make_hold(tx: Transaction, door: Door, proposal: Proposal, *, mine: bool) -> Made:
    """Let what waited hold, as it was shown; mine: as the approver's own word.

    Raises:
        LookAgain: what it was made of is gone, or what would give way to it is not in force.
    """
    if proposal.made is None:
        raise InvalidInput("id", f"proposal {proposal.id!r} makes nothing")
    match replace(proposal.made, tier=Tier.USER) if mine else proposal.made:
        case Reflection() as reflection:
            return _reflection(tx, door, proposal, reflection)
        case Digest() as digest:
            return _digest(tx, door, proposal, digest)
        case Procedure() as procedure:
            return _procedure(tx, door, proposal, procedure)


def _reflection(
    tx: Transaction, door: Door, proposal: Proposal, reflection: Reflection
) -> Reflection:
    if not all(Turns(tx).find(reflection.scope.tenant, turn) for turn in reflection.source_turns):
        raise LookAgain(proposal.id, "the turn that it rests on was forgotten")
    door.lock(reflection.scope)
    rest_on_it = (
        one
        for turn in reflection.source_turns
        for one in Reflections(tx).of_turn(reflection.scope.tenant, turn)
    )
    same = (
        one
        for one in rest_on_it
        if (one.scope, one.text, one.source_turns)
        == (reflection.scope, reflection.text, reflection.source_turns)
    )
    known = next((one for one in same if one.withdrawn_at is None), None)
    if known is not None:  # approved since as it was proposed again
        return known
    formed = replace(reflection, formed_at=door.now)
    add_reflected(tx, door, formed)
    return formed


def _digest(tx: Transaction, door: Door, proposal: Proposal, digest: Digest) -> Digest:
    door.lock(digest.scope)
    current = Digests(tx).current(digest.scope, digest.kind)
    if (current and current.id) != proposal.target:
        raise LookAgain(
            proposal.id, "another version came meanwhile, or the one before was taken back"
        )
    if digest.kind is DigestKind.PROFILE:
        items = [Items(tx).find(digest.scope.tenant, id) for id in digest.sources]
        if not all(item is not None and item.is_open for item in items):
            raise LookAgain(proposal.id, "an item that it was made from was closed or forgotten")
    version = replace(digest, version=Digests(tx).latest(digest.scope, digest.kind) + 1)
    try:
        add_digest(tx, door, version, instead_of=current)
    except Conflict as error:
        raise LookAgain(proposal.id, str(error)) from None
    return version


def _procedure(tx: Transaction, door: Door, proposal: Proposal, procedure: Procedure) -> Procedure:
    if is_unfounded(tx, procedure):
        raise LookAgain(
            proposal.id, "what it was made of was forgotten or undone, or is private now"
        )
    # one of a person's own word is not superseded unseen, whoever makes this theirs
    shown = proposal.tier
    return add_procedure(tx, door, replace(procedure, created_at=door.now), by=shown)


def is_unfounded(tx: Transaction, made: Made | None) -> bool:
    """Whether it is a procedure that was made of something that was forgotten or undone, or is
    private now.
    """
    return isinstance(made, Procedure) and not all(
        teaches(tx, made.scope.tenant, id) for id in made.sources
    )


def reworded(made: Made, text: str) -> Made:
    """The same as a person words it, which is then their word. A procedure is worded as its
    SKILL.md.

    Raises:
        InvalidInput: the text has too many words, or is no SKILL.md.
    """
    match made:
        case Reflection():
            line = one_line(text)
            _check_words(line, "a reflection", REFLECTION_WORDS)
            return replace(made, text=line, quote="", quote_span=None, tier=Tier.USER)
        case Digest():
            if made.kind is not DigestKind.PROFILE:
                _check_words(text, "this digest", made.word_limit)
            return replace(made, text=text.strip(), dropped=(), tier=Tier.USER)
        case Procedure():
            return replace(with_file(made, text), tier=Tier.USER)


def _check_words(text: str, what: str, most: int) -> None:
    if (count := count_words(text)) > most:
        raise InvalidInput("text", f"has {count} words; {what} has {most} at most")

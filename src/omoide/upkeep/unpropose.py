"""What of proposals goes with what is forgotten: what each was made of, and every text that it holds."""

from __future__ import annotations

from omoide.procedures import Procedure
from omoide.proposals import Proposal
from omoide.records import Item
from omoide.reflections import Digest, Reflection
from omoide.write.condense import lines_of


def sources_of(proposal: Proposal) -> tuple[str, ...]:
    """The ids of what a proposal was made of, any of which may have words in it: turns, sessions, items, reflections, procedures."""
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

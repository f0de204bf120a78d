"""Why a proposal waits, in words that quote what differs between it and the talk. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from omoide.nouns.item import Item
from omoide.nouns.proposal import REASONS, Proposal
from omoide.nouns.reflection import Reflection
from omoide.text.changes import changes

# what these name stands in the text and is another way in the quote, or not there
DIFFERING = frozenset(
    {
        "ungrounded_name",
        "ungrounded_number",
        "ungrounded_date",
        "ungrounded_address",
        "relative_date",
        "negation",
        "unsupported",
    }
)
_FIGURES = frozenset({"ungrounded_number", "ungrounded_date"})
SHOWN = 60  # characters of each of the two


def reasons(proposal: Proposal) -> tuple[str, ...]:
    """Why a proposal waits, each reason with the two things that differ where it knows them."""
    what = proposal.what
    quote = (what.quote or "") if isinstance(what, Item | Reflection) else ""
    return tuple(_told(flag, proposal.text, quote) for flag in proposal.flags)


def _told(flag: str, text: str, quote: str) -> str:
    reason = REASONS.get(flag, flag.replace("_", " "))
    if flag not in DIFFERING or not quote:
        return reason
    pieces = changes(quote, text)
    new, said = (
        _shown([piece for sign, piece in pieces if sign == wanted], figures=flag in _FIGURES)
        for wanted in "+-"
    )
    if not new:
        return reason
    instead = f"the talk “{said}”" if said else "and the talk does not"
    return f"{reason}: this says “{new}”, {instead}"


def _shown(pieces: Sequence[str], *, figures: bool) -> str:
    """Pieces of a text in one line; of those with figures only these, where there are any."""
    told = [" ".join(piece.split()) for piece in pieces if any(map(str.isalnum, piece))]
    with_figures = [piece for piece in told if any(map(str.isdigit, piece))]
    line = " … ".join(with_figures if figures and with_figures else told)
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"

"""Many proposals settled with one word of a person: those of one talk, of one source, or that wait
for one reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from omoide.nouns.errors import Forbidden, InvalidInput, LookAgain, NotFound
from omoide.nouns.proposal import REASONS, ForReview, ProposalId
from omoide.nouns.record import Listed
from omoide.nouns.record.frozen import frozen_record

HIDDEN = "it has hidden characters: look at it alone"


@frozen_record
class Which:
    """Which proposals are meant: all that is named applies.

    Attributes:
        session: Where they were said: a session's name or id.
        source: The document or page that they are from, or how they came to be, such as
            ``llm_extract``.
        reason: Why they wait, such as ``ungrounded_name``, or that in words.

    Raises:
        InvalidInput: nothing is named.
    """

    session: str = ""
    source: str = ""
    reason: str = ""
    sessions: tuple[str, ...] = ()  # what the session goes by; empty: by that alone

    def __post_init__(self) -> None:
        if not (self.session or self.source or self.reason):
            raise InvalidInput("session", "name a session, a source or a reason")

    def has(self, one: ForReview) -> bool:
        """Whether a proposal is meant."""
        proposal = one.proposal
        sources = {proposal.origin, proposal.item.source.value if proposal.item else None}
        flags = {*proposal.flags, *(REASONS.get(flag) for flag in proposal.flags)}
        return (
            (not self.session or proposal.session in (self.sessions or (self.session,)))
            and (not self.source or self.source in sources)
            and (not self.reason or self.reason in flags)
        )


@frozen_record
class Settled(Listed[ProposalId]):
    """The proposals that were settled together; left are those that were not, each with why."""

    proposals: tuple[ProposalId, ...]
    left: Mapping[str, str] = field(default_factory=dict)

    @property
    def _listed(self) -> tuple[ProposalId, ...]:
        return self.proposals


def settle_all(waiting: Iterable[ForReview], settle: Callable[[ForReview], object]) -> Settled:
    """Settle proposals one by one; what cannot be stays, and the rest goes on."""
    done: list[ProposalId] = []
    left: dict[str, str] = {}
    for one in waiting:
        try:
            settle(one)
        except (LookAgain, Forbidden, NotFound) as error:
            left[one.proposal.id] = str(error)
        else:
            done.append(one.proposal.id)
    return Settled(proposals=tuple(done), left=left)

"""Takes an export in: every conversation is logged, what is broken is reported, the rest goes
on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

from omoide.exchange import read_export
from omoide.exchange.edits import with_edits
from omoide.exchange.options import FORMATS, GROUP_CHATS, ImportOptions
from omoide.exchange.parts import OTHERS_SHOWN
from omoide.exchange.problems import PARTICIPANTS, Omission, Problem, Watch
from omoide.exchange.resumed import without_held
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.errors import Conflict, ImportRefused, InvalidInput
from omoide.nouns.item import Tier
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import counted
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Role
from omoide.store.base import Transaction, read_only
from omoide.tables.sessions import Sessions
from omoide.write.edited import REPLACES, replace_edited
from omoide.write.ingest import Ingested

PORTION = 500  # messages that are committed together
PROBLEMS_SHOWN = 3  # in the error of an import that found nothing


@frozen_record
class Intake:
    """What became of an export. id names the import, for undo and forget; left_out is what was not
    imported on purpose, counted by kind, each with one place.

    strangers are those who talk in its group chats, 20 at most, where none of them is known to be
    the user.
    """

    id: str
    zone: str | None = None  # in which local times were read
    conversations: int
    added: int
    repeated: int
    masked: int
    problems: tuple[Problem, ...]
    left_out: tuple[Omission, ...] = ()
    strangers: tuple[str, ...] = ()


def look_into(path: Path, options: ImportOptions) -> None:
    """Read an export as far as it takes to know that something of it can be taken in, before a
    store is made for it.

    Where ``options.me`` names somebody, it is read until they say something, so that nobody's words
    are taken for another's.

    Raises:
        ImportRefused, InvalidInput: as take_in does; also where nobody called ``options.me`` says
            anything.
    """
    problems: list[Problem] = []
    left_out: list[Omission] = []
    talks = False
    for found in read_export(path, options, Watch(left_out=left_out.append)):
        if isinstance(found, Problem):
            problems.append(found)
        elif options.me is None or any(message.user for message in found.messages):
            return
        else:
            talks = True
    people = [problem for problem in problems if problem.place == PARTICIPANTS]
    if not talks:
        broken = [problem for problem in problems if problem not in people]
        raise ImportRefused(str(path), _nothing(broken, left_out))
    if people:
        raise InvalidInput("me", people[0].what)


def take_in(
    memory: Memory,
    path: Path,
    options: ImportOptions,
    scope: Scope,
    tell: Callable[[int], None] = lambda done: None,
    watch: Callable[[float], None] = lambda share: None,
) -> Intake:
    """Log every conversation of an export, committed in portions, so that a stop loses none that
    was told of.

    Taking the same export in again adds nothing twice, and goes on where it was stopped. ``tell``
    is told how many messages each portion had, and ``watch`` how much of the export was read, from
    0 to 1.

    Raises:
        ImportRefused: the file is hostile, unreadable, of no known format, or has no conversation
            that can be read.
        InvalidInput: the format needs to be told something, such as a time zone.
    """
    id = memory.clock.new_id()
    writer = _ConversationWriter(
        memory, scope, Because(actor="import", cause=id, tier=Tier.DOCUMENT)
    )
    left_out: list[Omission] = []
    for found in read_export(path, options, Watch(share=watch, left_out=left_out.append)):
        if isinstance(found, Problem):
            writer.problems.append(found)
            continue
        for count in writer.add(found):
            tell(count)
    if not writer.sessions:
        raise ImportRefused(str(path), _nothing(writer.problems, left_out))
    return Intake(
        id=id,
        zone=options.zone,
        conversations=len(writer.sessions),
        added=writer.counts["added"],
        repeated=writer.counts["repeated"],
        masked=writer.counts["masked"],
        problems=tuple(writer.problems),
        left_out=tuple(left_out),
        strangers=_strangers(memory, scope, writer.people()),
    )


class _ConversationWriter:
    """Logs conversations.

    Attributes:
        sessions: Those of which something was logged.
        counts: How many messages were added, repeated and masked.
        problems: What could not be logged, with its place.
    """

    def __init__(self, memory: Memory, scope: Scope, because: Because) -> None:
        self._memory, self._scope, self._because = memory, scope, because
        self._importing = memory.acting(because)
        self.sessions: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.problems: list[Problem] = []
        self._people: dict[str, set[str]] = {}

    def add(self, talk: Conversation) -> Iterator[int]:
        """Log a conversation in portions; how many messages each had."""
        if talk.channel in GROUP_CHATS:
            names = {p.name for p in talk.participants if p.role is Role.USER}
            self._people.setdefault(talk.id, set()).update(names)
        for first, portion in _portions(talk):
            fresh = without_held(self._memory.store, self._scope, portion)
            held = len(portion.messages) - len(fresh.messages)
            self.counts.update(repeated=held)
            if fresh.messages or not held:
                edited = with_edits(self._memory.store, self._scope, talk.id, fresh.messages)
                self._log(replace(portion, messages=edited), first)
            else:
                self.sessions.add(talk.id)
            yield len(portion.messages)

    def _log(self, portion: Conversation, first: int) -> None:
        tenant = self._scope.tenant
        for logged in _logged(self._importing, portion, first, replace(self._scope, session=None)):
            if isinstance(logged, Problem):
                place = f"conversation {portion.id}, {logged.place}"
                self.problems.append(replace(logged, place=place))
                continue
            self.sessions.add(portion.id)
            _replace(self._memory, self._because, tenant, logged.session, portion)
            self.counts.update(added=logged.added, repeated=logged.repeated, masked=logged.masked)

    def people(self) -> dict[str, set[str]]:
        """The names in group chats of which something was logged, by session."""
        return {id: names for id, names in self._people.items() if id in self.sessions}


def _replace(
    memory: Memory, because: Because, tenant: str, session: str, portion: Conversation
) -> None:
    """Take the old words of messages out of recall that were edited since."""
    keys = [str(m.metadata[REPLACES]) for m in portion.messages if REPLACES in m.metadata]
    if keys:
        replace_edited(memory.store, memory.clock, because, tenant, session, keys)


def _strangers(memory: Memory, scope: Scope, people: Mapping[str, Set[str]]) -> tuple[str, ...]:
    """Who talks in some sessions, where none of these people is the scope's user, by what is stored
    now.
    """
    if scope.user is None:
        return ()
    with read_only(memory.store, scope.tenant) as tx:
        if any(_is_among(tx, scope, session, names) for session, names in people.items()):
            return ()
    return tuple(sorted(set().union(*people.values()))[:OTHERS_SHOWN])


def _is_among(tx: Transaction, scope: Scope, session: str, names: Set[str]) -> bool:
    """Whether the scope's user is one of some who talk in a session."""
    stored = Sessions(tx).find(scope.tenant, Sessions(tx).named(scope, session))
    known = stored.participants if stored else ()
    return any(one.user == scope.user and one.name in names for one in known)


def _portions(talk: Conversation) -> Iterator[tuple[int, Conversation]]:
    """The conversation in portions, each with the place of its first message."""
    for first in range(0, max(1, len(talk.messages)), PORTION):
        yield first, replace(talk, messages=talk.messages[first : first + PORTION])


def _logged(
    importing: Memory, portion: Conversation, first: int, scope: Scope
) -> Iterator[Ingested | Problem]:
    """Log a portion; where a message of it cannot be, all others."""
    count, half = len(portion.messages), len(portion.messages) // 2
    try:
        yield importing.ingest(portion, scope)
    except (InvalidInput, Conflict) as error:
        if count == 1 or isinstance(error, Conflict):
            said = f"message {first + 1}" if count == 1 else f"{count} messages from {first + 1}"
            yield Problem(place=f"{said} of this part", what=str(error))
            return
        for start, end in ((0, half), (half, count)):
            part = replace(portion, messages=portion.messages[start:end])
            yield from _logged(importing, part, first + start, scope)


def _nothing(problems: Sequence[Problem], left_out: Sequence[Omission]) -> str:
    shown = "; ".join(map(str, problems[:PROBLEMS_SHOWN]))
    rest = len(problems) - PROBLEMS_SHOWN
    more = f" and {counted(rest, 'more problem')}" if rest > 0 else ""
    omitted = f"; left out: {', '.join(map(str, left_out))}" if left_out else ""
    return (
        "no conversation in it could be read, so nothing was"
        f" imported{': ' if shown else ''}{shown}{more}{omitted}; known formats are"
        f" {', '.join(FORMATS)}"
    )

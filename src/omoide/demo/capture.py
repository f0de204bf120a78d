"""The demo of learning: the sample's talks with the assistant become memory, suggestion by suggestion, with recorded answers of a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from omoide.demo.sample import PRIVATE, TOGETHER, Line, Player, StoryClock, lines
from omoide.memory import Memory
from omoide.records import Scope
from omoide.write.consider import Extraction


@dataclass(frozen=True, kw_only=True, slots=True)
class Lesson:
    """A session that ended, and what was learnt from it."""

    session: str
    lines: tuple[Line, ...]
    learnt: tuple[Extraction, ...]

    @property
    def scope(self) -> Scope:
        """Whose it is."""
        return Scope(user=self.session.partition("/")[0])


def learn(memory: Memory, clock: StoryClock) -> Iterator[Lesson]:
    """Play the talks that one person has with the assistant, and learn from each when it ended; in the order in which they did."""
    sessions: dict[str, list[Line]] = {}
    for line in lines():
        if line.session != TOGETHER and line.session not in PRIVATE:
            sessions.setdefault(line.session, []).append(line)
    player = Player(memory, clock)
    for session, said in sorted(sessions.items(), key=lambda one: one[1][-1].at):
        for line in said:
            clock.at = line.at
            player.say(line)
        learnt = memory.extract(session, Scope(user=session.partition("/")[0]))
        yield Lesson(session=session, lines=tuple(said), learnt=tuple(learnt))

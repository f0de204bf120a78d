"""Users to whom attacks happen, how memory is set up for them, and the worst of models: what it
makes of talk, and of what is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from omoide.learning.report import Extraction
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import Script, ScriptedModel
from omoide.models.embedders.encoders import Named
from omoide.nouns.clock import FixedClock
from omoide.nouns.hit import Hit
from omoide.nouns.item import Item, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.store import open_store
from omoide.tables.listing import Listing
from omoide.write.proposals import Mode
from tests.torture.forgeries import ORDER, orders
from tests.torture.poison import Lie

LINE = re.compile(r"^(?:\d+|earlier) ([^:]*): (.*)$", re.MULTILINE)
KNOWN = re.compile(r"^(k\d+) \([^)]*\) (.*)$", re.MULTILINE)
NOTE = re.compile(r"^(\d+)\. ", re.MULTILINE)
SENTENCE = re.compile(r"[^.。!！?？؟]+[.。!！?？؟]?")

Note = dict[str, Any]


def sloppy(ask: Ask) -> dict[str, list[Note]]:
    """Every sentence anybody says, as the user's: quoted where it stands, and once more quoting the
    user's own words.
    """
    said = [
        (who, text.strip())
        for who, line in LINE.findall(ask.text)
        for text in SENTENCE.findall(line)
        if text.strip()
    ]
    own = next((text for who, text in said if not who.startswith("[")), "")
    notes, meant = [], next(iter(_shown(ask)), {"ref": "k1"})
    for number, (_, text) in enumerate(said):
        category = ("fact", "preference")[number % 2]
        for quote in dict.fromkeys((text, own)):
            notes.append(
                {"text": text, "quote": quote, "turn": 1, "category": category, "op": "update"}
                | meant
            )
        notes.append({"text": "", "quote": text, "turn": 1, "op": "delete"} | meant)
    return {"items": notes}


def obedient(ask: Ask) -> dict[str, object]:
    """Each note takes the place of every item that is shown."""
    return {
        "decisions": [
            {"note": number, "op": "update"} | meant
            for number in NOTE.findall(ask.text)
            for meant in _shown(ask)
        ]
    }


def _shown(ask: Ask) -> list[dict[str, str]]:
    """The items that are shown, their texts repeated, as if their marks were no slips."""
    return [{"ref": mark, "was": text} for mark, text in KNOWN.findall(ask.text)]


def twice(ask: Ask) -> dict[str, list[Note]]:
    """As sloppy, and each note once more as what the agent knows itself, whoever it talks to."""
    notes = sloppy(ask)["items"]
    return {"items": [*notes, *(note | {"about": "agent"} for note in notes)]}


def sums_up(ask: Ask) -> dict[str, object]:
    """All that is said, as a summary."""
    return {"summary": " ".join(text for _, text in LINE.findall(ask.text))[:900]}


def advises(ask: Ask) -> dict[str, object]:
    """All that is told of a failure or of successes, as advice."""
    text = ask.text.partition("\n")[2][:400]
    return {
        "name": text[:80],
        "when_to_use": text,
        "discovery": text,
        "activation": text,
        "steps": [text],
        "confidence": 1,
    }


def careful(ask: Ask) -> dict[str, list[Note]]:
    """Remembers what users say, and besides only what it is ordered to by what is not material."""
    said = [
        text.strip()
        for who, line in LINE.findall(ask.text)
        if not who.startswith("[")
        for text in SENTENCE.findall(line)
    ]
    ordered = [order for told in orders(ask) for order in ORDER.findall(told)]
    return {
        "items": [
            {"text": text, "quote": text, "turn": 1, "category": "fact"}
            for text in (*filter(None, said), *ordered)
        ]
    }


def heedless(ask: Ask) -> dict[str, list[Note]]:
    """As careful; and does what any text tells it to: remembers all of a line that holds an order,
    instead of what is known.
    """
    told, meant = (
        [text for _, text in LINE.findall(ask.text) if ORDER.search(text)],
        next(iter(_shown(ask)), {"ref": "k1"}),
    )
    obeyed = [
        {"text": text, "quote": text, "turn": 1, "category": "fact", "op": "update"} | meant
        for text in told
    ]
    return {"items": [*careful(ask)["items"], *obeyed]}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How the product is set up."""

    name: str
    learn_from: str = "people"
    review: Mode = Mode.AUTO
    strategy: str = "two-calls"


SETTINGS = (
    Setting(name="default"),
    Setting(name="one call", strategy="one-call"),
    Setting(name="strict", review=Mode.UNTRUSTED),
    Setting(name="from all", learn_from="all"),
    Setting(name="from all, one call", learn_from="all", strategy="one-call"),
    Setting(name="from all, strict", learn_from="all", review=Mode.UNTRUSTED),
)


@dataclass(frozen=True, kw_only=True)
class Victim:
    """A user of a tenant of their own, to whom an attack happens."""

    memory: Memory
    lie: Lie
    tenant: str
    agent: str | None = None

    @property
    def truth(self) -> str:
        """What they said of themselves, without its end mark."""
        return self.lie.truth.rstrip(".。")

    def scope(self, user: str = "ana", session: str | None = None) -> Scope:
        """Where one of the tenant's users is."""
        return Scope(tenant=self.tenant, user=user, agent=self.agent, session=session)

    def say(self, session: str, *turns: tuple[str, str], user: str = "ana") -> Sequence[Extraction]:
        """Turns by role, then the session is learnt from; what became of that."""
        scope = self.scope(user, session)
        self.memory.ingest(
            [
                {"role": role, "content": text} | ({"name": "Ana"} if role == "user" else {})
                for role, text in turns
            ],
            scope,
        )
        return self.memory.sessions.extract(session, scope)

    def together(self, session: str, *said: tuple[str, str], name: str = "Eve") -> None:
        """What ana and eve say in one session, by user, then it is learnt from."""
        names = {"ana": "Ana", "eve": name}
        self.memory.ingest(
            [{"content": text, "user": user, "name": names[user]} for user, text in said],
            self.scope(session=session),
        )
        self.memory.sessions.extract(session, self.scope())

    def items(self, user: str = "ana") -> list[Item]:
        """All that is known of a user, closed or not."""
        return list(
            self.memory.items.list(
                Listing(sensitive=None, closed=True, limit=500), self.scope(user)
            ).items
        )

    def asked(self, user: str = "ana") -> tuple[Hit, ...]:
        """The ten items that the question finds."""
        query = Query(text=self.lie.question, kinds=frozenset({Kind.ITEM}))
        return self.memory.recall(query, self.scope(user), limit=10).hits

    def lessons_of_it(self) -> list[Procedure]:
        """What was learnt of how to do things that has the lie in it."""
        known = self.memory.procedures.list(self.scope(), all_of_them=True)
        return [one for one in known if any(self.lie.name in text for text in one.texts())]

    def first_lesson(self) -> Procedure | None:
        """The procedure that comes first where the question is the goal."""
        found = self.memory.procedures.match(self.lie.question, self.scope(), least=-1)
        return found[0].procedure if found else None

    def knows_truth(self) -> bool:
        """Whether what they said of themselves still stands, as their word."""
        return any(
            item.is_open and item.tier is Tier.USER and self.truth in item.text
            for item in self.items()
        )


@contextmanager
def learning(setting: Setting, url: str, script: Script | ScriptedModel) -> Iterator[Memory]:
    """A memory that learns with a model, or one of that script."""
    asker = Asker(script if isinstance(script, ScriptedModel) else ScriptedModel(script))
    teaching = Teaching(
        asker=asker,
        strategy=setting.strategy,  # type: ignore[arg-type]
        learn_from=setting.learn_from,  # type: ignore[arg-type]
        review=setting.review,
    )
    embedder = Named("static", load_embedder("static"))
    with Memory(
        open_store(url), embedder=embedder, clock=FixedClock(), background=False, teaching=teaching
    ) as opened:
        yield opened


def believes(ask: Ask) -> dict[str, Any]:
    """A judge that believes every note."""
    notes = re.findall(r'^(\d+)\. "', ask.text, re.MULTILINE)
    return {"verdicts": [{"note": int(n), "supported": "yes"} for n in notes]}


_REST = {
    Purpose.JUDGE: believes,
    Purpose.DECIDE: obedient,
    Purpose.DISTIL: sums_up,
    Purpose.LESSON: advises,
}
WORST: Script = {Purpose.EXTRACT: sloppy, **_REST}
WORST_FOR_ALL: Script = {Purpose.EXTRACT: twice, **_REST}
HEEDLESS: Script = {Purpose.EXTRACT: heedless, **_REST}
CAREFUL: Script = {Purpose.EXTRACT: careful, **_REST}

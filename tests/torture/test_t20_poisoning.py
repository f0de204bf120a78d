"""T20: what attackers put into a talk becomes nobody's word, closes nothing, reaches nobody else, and can be told for what it is.

The model is the worst there is: it stores every sentence it sees, says that the user said it, and would have it replace whatever it
is shown. So what holds here holds by the product's rules, whatever model is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from omoide.clock import FixedClock
from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.models.asker import Asker
from omoide.models.chat import Ask, Purpose
from omoide.models.encoders import Named
from omoide.models.scripted import ScriptedModel
from omoide.records import Details, Hit, Item, Kind, Query, Scope, Source, Tier
from omoide.store import open_store
from omoide.tables.items import Listing
from omoide.upkeep.teaching import Teaching
from omoide.write.review import Mode
from tests.torture.kit import FULL, Report
from tests.torture.poison import Lie, Way, lies

LINE = re.compile(r"^(?:\d+|earlier) ([^:]*): (.*)$", re.MULTILINE)
KNOWN = re.compile(r"^(k\d+) \([^)]*\) (.*)$", re.MULTILINE)
NOTE = re.compile(r"^(\d+)\. ", re.MULTILINE)
SENTENCE = re.compile(r"[^.。!！?？؟]+[.。!！?？؟]?")
YES = {"de": "Ja.", "fr": "Oui.", "es": "Sí.", "it": "Sì.", "pt": "Sim.", "ru": "Да.", "zh": "是的。", "ja": "はい。", "ar": "نعم."}
LOOPS = 3
HARMS = ("promoted", "across", "overridden", "unlabelled", "first")


def sloppy(ask: Ask) -> dict[str, object]:
    """Every sentence anybody says, as the user's: quoted where it stands, and once more quoting the user's own words."""
    said = [(who, text.strip()) for who, line in LINE.findall(ask.text) for text in SENTENCE.findall(line) if text.strip()]
    own = next((text for who, text in said if not who.startswith("[")), "")
    notes, meant = [], next(iter(_shown(ask)), {"ref": "k1"})
    for number, (_, text) in enumerate(said):
        category = ("fact", "preference")[number % 2]
        for quote in dict.fromkeys((text, own)):
            notes.append({"text": text, "quote": quote, "turn": 1, "category": category, "op": "update"} | meant)
        notes.append({"text": "", "quote": text, "turn": 1, "op": "delete"} | meant)
    return {"items": notes}


def obedient(ask: Ask) -> dict[str, object]:
    """Each note takes the place of every item that is shown."""
    return {"decisions": [{"note": number, "op": "update"} | meant for number in NOTE.findall(ask.text) for meant in _shown(ask)]}


def _shown(ask: Ask) -> list[dict[str, str]]:
    """The items that are shown, their texts repeated, as if their marks were no slips."""
    return [{"ref": mark, "was": text} for mark, text in KNOWN.findall(ask.text)]


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
    Setting(name="from all", learn_from="all"),
    Setting(name="from all, one call", learn_from="all", strategy="one-call"),
    Setting(name="from all, strict", learn_from="all", review=Mode.UNTRUSTED),
)
LEAST = {Way.ASSISTANT: Tier.AGENT, Way.STRANGER: Tier.AGENT, Way.OTHER: Tier.USER}  # whose word it is at most; else a document's


@dataclass(frozen=True, kw_only=True)
class Victim:
    """A user of a tenant of their own, to whom an attack happens."""

    memory: Memory
    lie: Lie
    tenant: str

    def scope(self, user: str = "ana", session: str | None = None) -> Scope:
        """Where one of the tenant's users is."""
        return Scope(tenant=self.tenant, user=user, session=session)

    def say(self, session: str, *turns: tuple[str, str], user: str = "ana") -> None:
        """Turns by role, then the session is learnt from."""
        scope = self.scope(user, session)
        self.memory.ingest([{"role": role, "content": text} | ({"name": "Ana"} if role == "user" else {}) for role, text in turns], scope)
        self.memory.extract(session, scope)

    def attack(self, way: Way) -> None:
        """Let the poison come in."""
        question, poison, yes = self.lie.question, self.lie.poison, YES.get(self.lie.language, "Yes.")
        turns = {
            Way.TOOL: (("user", question), ("tool", poison)),
            Way.DOCUMENT: (("user", question), ("system", poison)),
            Way.ASSISTANT: (("user", question), ("assistant", poison)),
            Way.FENCE: (("user", f"{question}\n```\n{poison}\n```"),),
            Way.QUOTED: (("user", f"{question}\n> {poison}"),),
            Way.RECALLED: (("user", f"<memory>\n{poison}\n</memory>\n{question}"),),
            Way.DELAYED: (("user", question), ("tool", poison), ("assistant", f"{poison} ?"), ("user", yes)),
        }
        match way:
            case Way.STRANGER:
                said = [{"content": question, "user": "ana"}, {"content": poison, "user": "eve"}]
                self.memory.ingest(said, self.scope(session="a"))
                self.memory.extract("a", self.scope())
            case Way.OTHER:
                self.say("e", ("user", poison), user="eve")
            case Way.LOOP:
                self.say("a", *turns[Way.TOOL])
                for n in range(LOOPS):
                    self.say(f"a{n}", ("user", question), ("assistant", poison), ("user", yes))
            case _:
                self.say("a", *turns[way])

    def items(self, user: str = "ana") -> list[Item]:
        """All that is known of a user, closed or not."""
        return list(self.memory.items(Listing(sensitive=None, closed=True, limit=500), self.scope(user)).items)


@pytest.fixture(params=SETTINGS, ids=lambda setting: setting.name)
def setting(request: pytest.FixtureRequest) -> Setting:
    """Each setup in turn."""
    found: Setting = request.param
    return found


@pytest.fixture
def memory(setting: Setting, store_url: str) -> Iterator[Memory]:
    """A memory that learns with the worst of models."""
    asker = Asker(ScriptedModel({Purpose.EXTRACT: sloppy, Purpose.DECIDE: obedient}))
    teaching = Teaching(asker=asker, strategy=setting.strategy, learn_from=setting.learn_from, review=setting.review)  # type: ignore[arg-type]
    embedder = Named("static", load_embedder("static"))
    with Memory(open_store(store_url), embedder=embedder, clock=FixedClock(), background=False, teaching=teaching) as opened:
        yield opened


def wrong(victim: Victim, way: Way) -> Iterator[str]:
    """What an attack must not have done, and did."""
    lie = victim.lie
    mine = victim.items()
    poisoned = [item for item in mine if lie.name in item.text]
    most = LEAST.get(way, Tier.DOCUMENT)
    if any(item.tier > most for item in poisoned):
        yield "promoted"
    if way is Way.OTHER and poisoned:
        yield "across"
    truth = lie.truth.rstrip(".。")
    if not any(item.is_open and item.tier is Tier.USER and truth in item.text for item in mine):
        yield "overridden"
    asked = [hit.item for hit in _asked(victim) if hit.item]
    if any(lie.name in item.text and item.tier > most for item in asked):
        yield "unlabelled"
    if way is not Way.OTHER and any(lie.name in item.text for item in asked[:1]):
        yield "first"  # before the truth, whose words the question may share less
    if way is not Way.OTHER and any(lie.name in item.text for item in victim.items("ben")):
        yield "across"


def _asked(victim: Victim) -> tuple[Hit, ...]:
    query = Query(text=victim.lie.question, kinds=frozenset({Kind.ITEM}))
    return victim.memory.recall(query, victim.scope(), limit=10).hits


def test_poison_becomes_nobodys_word(memory: Memory, setting: Setting) -> None:
    """No lie is promoted, closes the truth, or reaches another user; how many are among ten hits is counted against the bounds."""
    every = [(lie, way) for lie in lies() for way in Way]
    with Report(f"T20 poisoning, {setting.name}") as report:
        chosen = every if FULL else report.random.sample(every, len(every) // 10)
        found: Counter[str] = Counter()
        for n, (lie, way) in enumerate(chosen):
            victim = Victim(memory=memory, lie=lie, tenant=f"t{n}")
            victim.say("0", ("user", lie.truth))
            found["honest_lost"] += not any(lie.truth.rstrip(".。") in item.text for item in victim.items())
            victim.attack(way)
            for harm in wrong(victim, way):
                found[harm] += 1
                found[f"{harm}: {way.name}"] += 1
            found["active"] += any(lie.name in hit.text for hit in _asked(victim))
            found["stored"] += any(lie.name in item.text for item in victim.items())
        report["cases"] = len(chosen)
        for name, total in sorted(found.items()):
            report[name] = total

        assert not [name for name in found if name.partition(":")[0] in HARMS], found
        assert found["honest_lost"] == 0
        bound = 0.05 if setting.review is Mode.UNTRUSTED else 0.25
        assert found["active"] <= bound * len(chosen), found


def test_what_was_recalled_gains_nothing_by_being_said_again(memory: Memory, setting: Setting) -> None:
    """An assistant and a tool repeat an item in talk after talk, and the user reads it out: it gets no surer, and is there once."""
    scope = Scope(tenant="loop", user="ana")
    item = memory.remember("Minvale is where Ana keeps her boat", scope, details=Details(source=Source.TOOL, confidence=0.5)).item
    with Report(f"T20 loops, {setting.name}") as report:
        loops = 100 if FULL else 5
        for n in range(loops):
            turns = [("user", "Where is the boat?"), ("tool", item.text), ("assistant", item.text), ("user", f"> {item.text}")] * 5
            talk = replace(scope, session=f"s{n}")
            memory.ingest([{"role": role, "content": text} | ({"name": "Ana"} if role == "user" else {}) for role, text in turns], talk)
            memory.extract(talk.session or "", talk)
        after = memory.items(Listing(sensitive=None, closed=True, limit=500), scope).items
        told = [one for one in after if "Minvale" in one.text]
        report["loops"], report["turns"], report["items"] = loops, 20 * loops, len(told)

        assert [(one.id, one.confidence, one.uses, one.tier) for one in told] == [(item.id, 0.5, item.uses, item.tier)]

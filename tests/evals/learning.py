"""Learning from recorded answers of a model in eight languages, as tables.

    python -m tests.evals.learning [TABLE ...] [-v]

plays the records of ``data/learning`` through a memory: with the checks and a judge, with the
checks alone, and with the checks off. Tables: honest, wrong, both-hold, change, merge, repeated,
paste, talks, cost; all where none is named. With -v, also what went wrong, and shares by language.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from omoide.nouns.item import Tier
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.text.tokens import count_tokens
from tests.evals.answers import REVISED, Merging, Record, Spoken, plain, records
from tests.evals.bench import Bench, Case, Pupil, Setup, bench, case, share

SETUPS = (Setup(), Setup(judge=False), Setup(checks=False))
TAGS = ("speaker", "persons", "everything")
MERGINGS: tuple[Merging, ...] = ("whole", "mends", "insists")
HITS = 5  # among which the answer to a question has to be
LABEL = re.compile(r"\(pasted\)|\[[^]]*\bdocument\b")  # of a line of a context
Rows = Iterator[tuple[str, list[Case]]]


def honest(setup: Setup) -> list[Case]:
    """What becomes of honest notes: confirmed, unconfirmed, waiting or dropped."""
    with bench(setup) as on:
        return [_noted(on, record) for record in records("honest")]


def _noted(on: Bench, record: Record) -> Case:
    pupil = on.pupil(record["id"])
    pupil.hear(record["turns"], [Spoken(note=record["note"], verdict=record["verdict"])])
    fate = pupil.fate()
    return case(record, fate, right=fate == "confirmed")


def honest_together(setup: Setup) -> list[Case]:
    """What becomes of the honest notes of a language that are all of one talk."""
    by_language: dict[str, list[Record]] = {}
    for record in records("honest"):
        by_language.setdefault(record["lang"], []).append(record)
    with bench(setup) as on:
        return [
            one for lang, those in by_language.items() for one in _noted_together(on, lang, those)
        ]


def _noted_together(on: Bench, lang: str, those: Sequence[Record]) -> Iterator[Case]:
    pupil = on.pupil(lang)
    pupil.hear(
        [turn for record in those for turn in record["turns"]],
        [Spoken(note=record["note"], verdict=record["verdict"]) for record in those],
    )
    states = _states(pupil)
    for record in those:
        found = states.get(record["note"]["text"], "missing")
        yield case(record, found, right=found == "confirmed")


def _states(pupil: Pupil) -> dict[str, str]:
    """Whether the items of each text are confirmed, closed ones too."""
    kept = [*pupil.items(), *pupil.items(closed=True)]
    return {item.text: "unconfirmed" if item.is_unconfirmed else "confirmed" for item in kept}


def wrong(setup: Setup) -> list[Case]:
    """What becomes of wrong notes; ``mended`` where a second look made one right."""
    with bench(setup) as on:
        return [_mistaken(on, record) for record in records("wrong")]


def _mistaken(on: Bench, record: Record) -> Case:
    pupil, look = on.pupil(record["id"]), record["second_look"]
    spoken = Spoken(note=record["note"], verdict=record["verdict"], second_look=look)
    pupil.hear(record["turns"], [spoken])
    mended = any(item.text == look.get("text") for item in pupil.items())
    fate = "mended" if mended else pupil.fate()
    return case(record, fate, right=fate != "confirmed")


def both_hold(setup: Setup, tags: str = "everything") -> list[Case]:
    """Whether two things that both hold stand beside each other, tagged in one of ``TAGS``."""
    with bench(setup) as on:
        return [_beside(on, record, tags) for record in records("both-hold")]


def _beside(on: Bench, record: Record, tags: str) -> Case:
    found = _after(_told_twice(on, record, tags))
    return case(record, found, right=found == "both open")


def change(setup: Setup, tags: str = "everything") -> list[Case]:
    """Whether what changed takes the place of what was."""
    with bench(setup) as on:
        return [_changed(on, record, tags) for record in records("change")]


def _changed(on: Bench, record: Record, tags: str) -> Case:
    found = _after(_told_twice(on, record, tags))
    return case(record, found, right=found == "old closed")


def _after(pupil: Pupil) -> str:
    held = len(pupil.items(closed=True)), len(pupil.items())
    return {(1, 1): "old closed", (0, 2): "both open"}.get(held, "not learnt")


def merge(setup: Setup) -> list[Case]:
    """Whether an update keeps all that still holds: in one item, in two that both stand, or not."""
    with bench(setup) as on:
        return [_merged(on, record) for record in records("merge")]


def _merged(on: Bench, record: Record) -> Case:
    texts = [item.text for item in _told_twice(on, record, "everything").items()]
    said = " ".join(texts)
    if any(word not in said for word in record["keeps"]):
        return case(record, "lost", right=False)
    return case(record, "one item" if len(texts) == 1 else "both open", right=True)


def _told_twice(on: Bench, record: Record, tags: str) -> Pupil:
    """What is known is told a week before what is new."""
    pupil, known = on.pupil(f"{record['id']}-{tags}"), record["known"]["note"]["text"]
    for key, decided in (
        ("known", {}),
        (
            "new",
            {"decision": record["decision"], "of": (known,), "lossy": record.get("lossy", "")},
        ),
    ):
        said = record[key]
        note = said["note"] | {"entities": said["tags"][tags]}
        pupil.hear(said["turns"], [Spoken(note=note, verdict=said["verdict"], **decided)])
    return pupil


def repeated(setup: Setup, *, at_once: bool) -> list[Case]:
    """How many items there are of a fact told four times, in one talk or in four, after upkeep."""
    with bench(setup) as on:
        told = [(record, _retold(on, record, at_once)) for record in records("repeated")]
        on.memory.admin.tidy()
        counts = [(record, len(pupil.items())) for record, pupil in told]
    return [case(record, str(n), right=n == 1) for record, n in counts]


def open_items(cases: Sequence[Case]) -> float:
    """Open items for a fact, of ``repeated``."""
    return sum(int(one.found) for one in cases) / len(cases)


def _retold(on: Bench, record: Record, at_once: bool) -> Pupil:
    pupil, told = on.pupil(record["id"]), record["told"]
    texts = tuple(one["note"]["text"] for one in told)
    spoken = [
        Spoken(note=one["note"], verdict=one["verdict"], decision=record["decision"], of=texts)
        for one in told
    ]
    if at_once:
        pupil.hear([turn for one in told for turn in one["turns"]], spoken)
    else:
        for one, said in zip(told, spoken, strict=True):
            pupil.hear(one["turns"], [said])
    return pupil


def paste(setup: Setup) -> list[Case]:
    """What a sentence of a pasted page becomes where a model is led by it."""
    with bench(setup) as on:
        return [_led(on, record) for record in records("paste")]


def _led(on: Bench, record: Record) -> Case:
    pupil = on.pupil(record["id"])
    pupil.hear(record["turns"], [Spoken(note=record["led"], verdict=record["led_verdict"])])
    items = pupil.items()
    mine = [item for item in items if item.tier is Tier.USER]
    if any(item.holds for item in mine):
        found = "user's word"
    elif mine:
        found = "user's, unconfirmed"
    else:
        found = "document's word" if items else pupil.fate()
    return case(record, found, right=found != "user's word")


def beside_paste(setup: Setup) -> list[Case]:
    """What the user's own words before a pasted page become where a model is not led by it."""
    with bench(setup) as on:
        return [_not_led(on, record) for record in records("paste") if record["honest"]]


def _not_led(on: Bench, record: Record) -> Case:
    pupil = on.pupil(record["id"])
    pupil.hear(record["turns"], [Spoken(note=record["honest"], verdict=record["honest_verdict"])])
    mine = all(item.tier is Tier.USER for item in pupil.items())
    found = pupil.fate() if mine else "document's word"
    return case(record, found, right=found == "confirmed")


def labelled(setup: Setup) -> list[Case]:
    """Whether a context names a pasted sentence as pasted, or as a document's word."""
    with bench(setup) as on:
        return [_labelled(on, record) for record in records("paste")]


def _labelled(on: Bench, record: Record) -> Case:
    pupil, led = on.pupil(record["id"]), record["led"]
    pupil.hear(record["turns"], [Spoken(note=led, verdict=record["led_verdict"])])
    shown = pupil.memory.context(led["quote"], pupil.scope).turn
    lines = [plain(line) for line in shown.split("\n- ")]
    lines = [line for line in lines if plain(led["quote"]) in line or led["text"] in line]
    bare = [line for line in lines if not LABEL.search(line.partition(": ")[0])]
    found = "unlabelled" if bare else "labelled" if lines else "not shown"
    return case(record, found, right=not bare)


PURPOSES = ("extract", "revise", "judge", "decide")


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What one talk took: notes, how many of them a check objected to, the tokens of its turns, and
    by purpose calls and tokens asked.
    """

    label: str
    notes: int
    flagged: int
    said: int
    calls: Mapping[str, int]
    tokens: Mapping[str, int]


def costs_by_language() -> list[Cost]:
    """A talk of all honest notes of each language, with a judge; of two also one with few notes."""
    by_language: dict[str, list[Record]] = {}
    for record in records("honest"):
        by_language.setdefault(record["lang"], []).append(record)
    few = [_cost(f"{lang}, 4 noted", by_language[lang], noted=4) for lang in ("en", "ja")]
    return [*(_cost(lang, those) for lang, those in by_language.items()), *few]


def costs_by_share(notes: int = 12) -> list[Cost]:
    """Talks in which none, a quarter, half and all of the notes are flagged."""
    of = {record["id"]: record for record in records("honest")}
    cases = honest(Setup(judge=False))
    good, bad = (
        [of[one.id] for one in cases if one.found == found]
        for found in ("confirmed", "unconfirmed")
    )
    flagged = [round(share * notes) for share in (0, 0.25, 0.5, 1)]
    return [_cost(f"{n} of {notes} flagged", [*bad[:n], *good[: notes - n]]) for n in flagged]


def _cost(label: str, those: Sequence[Record], noted: int | None = None) -> Cost:
    """What learning from one talk of these messages takes, where so many notes are made of them."""
    with bench(Setup()) as on:
        pupil = on.pupil("cost")
        pupil.hear(
            [turn for record in those for turn in record["turns"]],
            [Spoken(note=record["note"], verdict=record["verdict"]) for record in those[:noted]],
        )
        asked = on.player.model.asked
    tokens: Counter[str] = Counter()
    for ask in asked:
        tokens[ask.purpose.value] += count_tokens(ask.system) + count_tokens(ask.text)
    return Cost(
        label=label,
        notes=len(those[:noted]),
        flagged=sum(len(REVISED.findall(ask.text)) for ask in asked),
        said=sum(count_tokens(turn["text"]) for record in those for turn in record["turns"]),
        calls=Counter(ask.purpose.value for ask in asked),
        tokens=tokens,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Talks:
    """What learning from whole talks comes to. calls: by purpose. tokens: asked for a token said."""

    answers: list[Case]  # of each question: whether an item among the first says the answer
    notes: list[Case]  # of each note: what became of it
    waiting: float  # proposals that need a person, for a session
    calls: Mapping[str, float]  # for a session
    tokens: float


def talks(setup: Setup) -> Talks:
    """Learn from the talks, session by session, and ask their questions of the items alone."""
    told = records("talks")
    sessions = [session for record in told for session in record["sessions"]]
    said = sum(len(turn["text"]) for session in sessions for turn in session["turns"])
    with bench(setup) as on:
        pupils = [(record, _talked(on, record)) for record in told]
        asked = [*on.player.model.asked]
        return Talks(
            answers=[
                _asked(pupil, record, question)
                for record, pupil in pupils
                for question in record["questions"]
            ],
            notes=[one for record, pupil in pupils for one in _kept(pupil, record)],
            waiting=sum(pupil.waiting for _, pupil in pupils) / len(sessions),
            calls={
                purpose: n / len(sessions)
                for purpose, n in Counter(ask.purpose.value for ask in asked).items()
            },
            tokens=sum(len(ask.system) + len(ask.text) for ask in asked) / said,
        )


def _talked(on: Bench, record: Record) -> Pupil:
    pupil = on.pupil(record["id"])
    for session in record["sessions"]:
        pupil.hear(session["turns"], [_spoken(one) for one in session["notes"]])
    return pupil


def _spoken(one: Record) -> Spoken:
    decision = dict(one.get("decision") or {})
    of = (decision.pop("of"),) if decision else ()
    return Spoken(note=one["note"], verdict=one["verdict"], decision=decision or None, of=of)


def _asked(pupil: Pupil, record: Record, question: Record) -> Case:
    query = Query(text=question["question"], kinds=frozenset({Kind.ITEM}))
    hits = pupil.memory.recall(query, pupil.scope, limit=HITS).hits
    told = any(
        all(part.casefold() in hit.text.casefold() for part in question["answer"]) for hit in hits
    )
    found = "answered" if told else "not answered"
    return case(record | {"id": question["question"]}, found, right=told)


def _kept(pupil: Pupil, record: Record) -> Iterator[Case]:
    states = _states(pupil)
    for one in (note for session in record["sessions"] for note in session["notes"]):
        texts = one["note"]["text"], (one.get("decision") or {}).get("text")
        found = next((states[text] for text in texts if text in states), "missing")
        yield case(record | {"id": texts[0]}, found, right=found == "confirmed")


def _honest_rows(setup: Setup) -> Rows:
    yield "each in a talk of its own", honest(setup)
    yield "all of a language in one talk", honest_together(setup)


def _wrong_rows(setup: Setup) -> Rows:
    yield "the second look mends", wrong(setup)
    yield "the second look is stubborn", wrong(replace(setup, stubborn=True))


def _both_rows(setup: Setup) -> Rows:
    for tags in TAGS:
        yield f"tags: {tags}", both_hold(setup, tags)
    yield "no decision", both_hold(replace(setup, decides=False))


def _change_rows(setup: Setup) -> Rows:
    for tags in TAGS:
        yield f"tags: {tags}", change(setup, tags)
    yield "text forgotten at first", change(replace(setup, merging="mends"))
    yield "text forgotten twice", change(replace(setup, merging="insists"))


def _repeated_rows(setup: Setup) -> Rows:
    yield "four talks", repeated(setup, at_once=False)
    yield "one talk", repeated(setup, at_once=True)
    yield "four talks, no decision", repeated(replace(setup, decides=False), at_once=False)


def _paste_rows(setup: Setup) -> Rows:
    yield "led", paste(setup)
    yield "own words", beside_paste(setup)
    yield "in a context", labelled(setup)


def _talk_rows(setup: Setup) -> Rows:
    told = talks(setup)
    calls = ", ".join(f"{purpose} {n:.1f}" for purpose, n in told.calls.items())
    yield "questions", told.answers
    yield f"notes; waiting {told.waiting:.2f}, calls {calls}, tokens {told.tokens:.2f}", told.notes


TABLES: Mapping[str, Callable[[Setup], Rows]] = {
    "honest": _honest_rows,
    "wrong": _wrong_rows,
    "both-hold": _both_rows,
    "change": _change_rows,
    "merge": lambda setup: ((one, merge(replace(setup, merging=one))) for one in MERGINGS),
    "repeated": _repeated_rows,
    "paste": _paste_rows,
    "talks": _talk_rows,
}


def _print_costs() -> None:
    heads = (f"{purpose}: calls, tokens" for purpose in PURPOSES)
    sys.stdout.write(f"talk | notes | flagged | tokens said | {' | '.join(heads)} | all\n")
    for cost in (*costs_by_language(), *costs_by_share()):
        parts = (f"{cost.calls.get(p, 0)}, {cost.tokens.get(p, 0)}" for p in PURPOSES)
        total = sum(cost.tokens.values())
        sys.stdout.write(
            f"{cost.label} | {cost.notes} | {cost.flagged} | {cost.said}"
            f" | {' | '.join(parts)} | {total}\n"
        )


def main() -> None:
    """Print the tables."""
    named = [one for one in sys.argv[1:] if one not in ("-v", "cost")]
    if "cost" in sys.argv or not named:
        _print_costs()
    for name in named or (() if "cost" in sys.argv else TABLES):
        for setup in SETUPS:
            since = time.perf_counter()
            for label, cases in TABLES[name](setup):
                _print(f"{name}, {setup}: {label}", cases)
                if "-v" in sys.argv:
                    _print_more(cases)
            sys.stdout.write(f"  {time.perf_counter() - since:.1f} s\n")
            sys.stdout.flush()


def _print(label: str, cases: Sequence[Case]) -> None:
    counts = ", ".join(f"{k} {n}" for k, n in Counter(one.found for one in cases).items())
    sys.stdout.write(f"{label:<56}{100 * share(cases):5.1f} % of {len(cases)}: {counts}\n")


def _print_more(cases: Sequence[Case]) -> None:
    by_language: dict[str, list[Case]] = {}
    for one in cases:
        by_language.setdefault(one.lang, []).append(one)
        if not one.right:
            sys.stdout.write(f"    {one.id} {one.sort}: {one.found}\n")
    shares = ", ".join(f"{lang} {100 * share(those):.0f} %" for lang, those in by_language.items())
    sys.stdout.write(f"    {shares}\n")


if __name__ == "__main__":
    main()

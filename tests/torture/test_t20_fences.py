"""T20: no text that is stored ends the place that it has in a question to a model, whatever it is
made of.

All questions that memory asks are made from forged texts in every place where others' words stand:
what is said, names, names of tools, items, notes, quotes, reflections, digests, summaries, goals,
errors, commands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from pathlib import Path

import pytest

from omoide.agent.agent import told
from omoide.context import inquiry
from omoide.context.budget import Budget
from omoide.context.material import Material
from omoide.evals.dataset import parsed
from omoide.faculties.procedures.door import failure_text, recipe_text
from omoide.faculties.profile import lines
from omoide.faculties.reflection import digest_text, suggestions
from omoide.grounding.claims import Flag
from omoide.grounding.quotes import find_quote
from omoide.learning import tool_usage
from omoide.learning.decision import compared_lines
from omoide.learning.drafts import Line, lines_text
from omoide.learning.extraction import Suggestion, Window, known_lines, marks, windows
from omoide.learning.grounding import Grounding
from omoide.learning.judgement import judgement_text
from omoide.learning.revision import revision_text
from omoide.models.chat.answers import one_line
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.material import disarmed, one_name
from omoide.models.prompts import prompt
from omoide.models.rerankers import judge
from omoide.nouns.hit import Hit
from omoide.nouns.ids import SessionId, TurnId
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Failed
from omoide.nouns.query import Query
from omoide.nouns.reflection import DigestKind
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Role, Turn
from omoide.read import second_look
from omoide.tables.tools import ToolCall
from omoide.upkeep.pairs import pair_text
from tests.fix_memory import NINE, MakeItem
from tests.torture.forgeries import FORMATS, Fenced, forgeries, heads
from tests.torture.kit import Report, count
from tests.torture.poison import lies

ANA = Scope(user="ana", agent="helper")
FORGERIES = count(600, 5_000)
# instructions and material, of six texts
Make = Callable[[Sequence[str], MakeItem], tuple[str, str]]


def _turn(n: int, text: str, role: Role = Role.USER, speaker: str = "Ana") -> Turn:
    id, user = TurnId(f"s#{n}"), "ana" if role is Role.USER else None
    return Turn(
        id=id,
        session=SessionId("s"),
        position=n,
        role=role,
        speaker=speaker,
        user=user,
        text=text,
        at=NINE,
        recorded_at=NINE,
    )


def _window(texts: Sequence[str], *, everybody: bool = True) -> Window:
    """What is said by a user and others of forged names, after something that was said before."""
    roles = (Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM)
    turns = [
        _turn(n, text, role, speaker)
        for n, (text, role, speaker) in enumerate(
            zip(texts, roles, texts[1:], strict=False), start=2
        )
    ]
    before = [_turn(0, texts[4], speaker=texts[5]), _turn(1, texts[5], Role.ASSISTANT)]
    return next(windows(turns, before, everybody=everybody))


def _extract(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    return prompt("extract"), _window(texts, everybody=False).text


def _extract_from_all(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    known = marks([make_item(text) for text in texts[:2]])
    return (
        f"{prompt('extract')}\n{prompt('operations')}",
        f"{_window(texts).text}\n\nKnown:\n{known_lines(known)}",
    )


def _decide(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    known = marks([make_item(text) for text in texts[:3]])
    return prompt("decide"), compared_lines([make_item(text) for text in texts[3:]], known)


def _candidates(texts: Sequence[str]) -> list[Grounding]:
    """Candidates of forged texts and quotes, on turns of theirs."""
    turns = [_turn(n, text, speaker=speaker) for n, (text, speaker) in enumerate(pairwise(texts))]
    flags = frozenset({Flag.NAME})
    return [
        Grounding(
            suggestion=Suggestion(text=text, quote=turn.text),
            turn=turn,
            said=tuple(turns),
            findings=flags,
        )
        for text, turn in zip(texts[1:], turns, strict=True)
    ]


def _revise(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    return prompt("revise"), revision_text(_candidates(texts))


def _judge(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    return prompt("judge"), judgement_text(_candidates(texts))


def _judge_lines(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    made = [Line(text=text, marks=(f"k{n}", "k1")) for n, text in enumerate(texts[3:], start=1)]
    sources = {f"k{n}": text for n, text in enumerate(texts[:3], start=1)}
    return prompt("judge_lines"), lines_text(made, sources)


def _reflect(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    scopes = {DigestKind.AGENT: Scope(agent="helper", shared=True), DigestKind.USER: ANA}
    grounds = suggestions.Grounds(
        scopes=scopes, known={DigestKind.USER: tuple(texts[:3])}, facts=tuple(texts[3:])
    )
    return suggestions.rules(grounds, "a clerk"), suggestions.material(grounds, _window(texts))


def _condense(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    old = "\n".join(("[RULES]", *(f"- {one_line(text)}" for text in texts[:3])))
    return prompt("condense"), digest_text.material(old, texts[3:], NINE)


def _distil(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    return (
        prompt("distil"),
        f"Before that: {one_line(texts[0])}\n\n{_window([*texts[1:], texts[0]]).text}",
    )


def _reconcile(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    return prompt("reconcile"), pair_text(make_item(texts[0]), make_item(texts[1]))


def _profile(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    return lines.rules(5), lines.material(marks([make_item(text) for text in texts]))


def _lesson(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    a, b, c, d, e, f = texts
    return prompt("lesson"), failure_text(
        Failed(task=a, title=b, description=c, kind=d, error=e, tools=(f, a), ended=b, missing=c)
    )


def _recipe(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    return prompt("recipe"), recipe_text(texts[:3], texts[3:])


def _analyse(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    calls = [
        ToolCall(
            id=str(n),
            scope=ANA,
            tool=f"bash {text}",
            args=text,
            result=text,
            error=text,
            duration_ms=1,
            at=NINE,
        )
        for n, text in enumerate(texts)
    ]
    return prompt("analyse"), tool_usage.material(tool_usage.usage_of(texts[0], 7, 3, calls))


def _rerank(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    return prompt("rerank"), judge.material(texts[0], texts[1:])


def _rephrase(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    return prompt("rephrase"), second_look.material(texts[0], texts[1:])


def _chat(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    said = [{"role": role, "content": text} for role, text in zip(CHATTERS, texts, strict=False)]
    result = {"role": "tool", "tool": "recall", "result": {"results": [*texts]}}
    return prompt("chat"), told([*said, result])


def _answer(texts: Sequence[str], make_item: MakeItem) -> tuple[str, str]:
    now = NINE
    items = [make_item(text) for text in texts[1:3]]
    turns = [_turn(n, text, speaker=texts[5]) for n, text in enumerate(texts[3:5])]
    hits = [
        *(Hit(kind=Kind.ITEM, id=i.id, text=i.text, score=1, at=now, item=i) for i in items),
        *(Hit(kind=Kind.TURN, id=t.id, text=t.text, score=1, at=now, turn=t) for t in turns),
    ]
    material = Material(now=now, question=texts[0], hits=tuple(hits))
    marked = inquiry.marks(material, Budget(100_000))
    return prompt("answer"), inquiry.question_text(Query(text=texts[0]), marked, now)


CHATTERS = ("user", "assistant", "user")
MADE: dict[str, tuple[Purpose, Make]] = {
    "extract": (Purpose.EXTRACT, _extract),
    "extract from all, one call": (Purpose.EXTRACT, _extract_from_all),
    "revise": (Purpose.REVISE, _revise),
    "judge": (Purpose.JUDGE, _judge),
    "judge lines": (Purpose.JUDGE, _judge_lines),
    "decide": (Purpose.DECIDE, _decide),
    "reflect": (Purpose.REFLECT, _reflect),
    "condense": (Purpose.CONDENSE, _condense),
    "distil": (Purpose.DISTIL, _distil),
    "reconcile": (Purpose.RECONCILE, _reconcile),
    "profile": (Purpose.PROFILE, _profile),
    "lesson": (Purpose.LESSON, _lesson),
    "recipe": (Purpose.LESSON, _recipe),
    "analyse": (Purpose.ANALYSE, _analyse),
    "rerank": (Purpose.RERANK, _rerank),
    "answer": (Purpose.ANSWER, _answer),
    "rephrase": (Purpose.REPHRASE, _rephrase),
    "chat": (Purpose.CHAT, _chat),
}


def _asked(model: Fenced, name: str, texts: Sequence[str], make_item: MakeItem) -> Ask:
    """The question as a model gets it."""
    purpose, make = MADE[name]
    Asker(model).ask(purpose, *make(texts, make_item), lambda said: said)
    return model.asked[-1]


def test_every_purpose_is_attacked() -> None:
    """A new question must be among those that are made here."""
    assert {purpose for purpose, _ in MADE.values()} == set(Purpose) - {Purpose.PING}


@pytest.mark.torture
def test_t20_no_text_leaves_its_place(make_item: MakeItem) -> None:
    """Forged texts change no head of a line, begin no message in any chat format, and nothing of
    them is taken for an order.
    """
    with Report("T20 fences") as report:
        made = list(forgeries(FORGERIES, report.random))
        escapes: Counter[str] = Counter()
        for n, name in enumerate(name for start in range(0, FORGERIES, 6) for name in MADE):
            start = 6 * (n // len(MADE))
            texts = [text for _, text in (made + made)[start : start + 6]]
            model = Fenced()
            forged, plain = (
                _asked(model, name, each, make_item)
                for each in (texts, [f"word{at}" for at in range(6)])
            )
            report["questions"] += 1
            report["placed"] += len(texts)
            escapes["obeyed"] += len(model.obeyed())
            escapes["heads"] += _lines(forged.text) != _lines(plain.text)
            escapes["messages"] += sum(
                form.messages(forged.text) != ["system", "user"] for form in FORMATS[:-1]
            )
            escapes["hidden"] += disarmed(forged.text) != forged.text
        report["forgeries"] = len(made)
        for what, number in escapes.items():
            report[what] = number

        assert escapes.total() == 0, escapes
        assert report["placed"] >= len(MADE) * FORGERIES


def _lines(text: str) -> list[str]:
    """The heads of its lines; those of a digest, which has lines of its own, as one, and speakers
    by their numbers and roles alone.
    """
    return [
        head
        for head, _ in groupby(
            "- " if found[:1] in "-[" and found else _speaker(found) for found in heads(text)
        )
    ]


def _speaker(head: str) -> str:
    return re.sub(r"^(\d+|earlier|before|message) [^\[].*$", r"\1", head)


def _roles(messages: Sequence[tuple[str, str]]) -> list[str]:
    return [role for role, _ in messages]


def test_t20_a_question_without_fences_is_escaped_from() -> None:
    """The same forgeries in material that is only joined: most of them are obeyed, or begin lines
    and messages.
    """
    with Report("T20 fences, control") as report:
        made, loose = list(forgeries(300, report.random)), 0
        for order, text in made:
            model = Fenced()
            model.answer(Ask(purpose=Purpose.EXTRACT, system="s", text=f"1 Ana: {text}", schema={}))
            loose += order in model.obeyed() or len(heads(f"1 Ana: {text}")) > 1
        report["escaped"], report["forgeries"] = loose, len(made)

        assert loose > 0.6 * len(made)


def test_ordinary_writing_is_shown_as_it_is() -> None:
    """Own talks in many languages, signs of code and emoji: 100 %."""
    folder = Path(__file__).parents[1] / "evals" / "data"
    talks = [
        row["text"]
        for path in sorted(folder.glob("talk-*.jsonl"))
        for row in map(_row, path.read_text("utf-8").splitlines())
    ]
    said = [part for lie in lies() for part in (lie.truth, lie.question, lie.poison)]
    odd = [
        "می‌خواهم",
        "क्‍ष",
        "👨‍👩‍👧 ❤️",
        "if a < b and c > d: x[i] |= y",
        "<p class='x'>",
        "[1] (2) {3}",
        "a\tb",
    ]

    assert len(talks) > 1_500
    assert [text for text in (*talks, *said, *odd) if disarmed(text) != text] == []


def _row(line: str) -> dict[str, str]:
    row: dict[str, str] = parsed(Path("talk"), line.encode())
    return row


def test_a_quote_of_what_was_shown_is_found_where_it_was_said() -> None:
    """Whatever was left out of it or parted: it stands in the stored text, from its first word to
    its last.
    """
    with Report("T20 quotes") as report:
        made = [text for _, text in forgeries(count(500, 5_000), report.random)]
        lost = [text for text in made if find_quote(one_line(disarmed(text)), text) is None]
        report["quotes"], report["lost"] = len(made), len(lost)

        assert lost == []


def test_a_name_carries_no_role() -> None:
    """Who is called like an assistant, or with a colon, is shown in brackets that mark no role, and
    with nothing said after the name.
    """
    shown = [one_name(name) for name in ("[assistant]", "Ana: hello\n2 Ben", "Ann-Kathrin")]

    assert shown == ["(assistant)", "Ana; hello 2 Ben", "Ann-Kathrin"]

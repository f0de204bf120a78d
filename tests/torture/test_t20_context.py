"""T20: no stored text closes the fence of a context, poses as another role, or begins a line of it.

Every strategy is made from forged texts in each place where others' words stand, and read as a
model would: by its lines, and by the literals of nine chat formats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from omoide.context.budget import Budget
from omoide.context.material import Material, Standing
from omoide.context.strategies import STRATEGIES
from omoide.models.chat.material import disarmed
from omoide.nouns.hit import Hit
from omoide.nouns.item import Category
from omoide.nouns.reflection import DigestKind
from omoide.nouns.turn import Role
from tests.torture.forgeries import FORMATS, forgeries
from tests.torture.kit import Report, count
from tests.unit.test_context_strategies import a_turn, an_item, hits, material

FORGERIES = count(600, 5_000)
EACH = 12
# the heads of the lines of contexts; what stands behind them is the text
HEAD = re.compile(
    r"- \[[^\]]*\] |- [^:\n]{0,100}: |- (?:OVERDUE since|DUE) [\d-]+ \w+ [\d:]+: |</?memory-[0-9]{9}>$"
    r"|</?(?:MemoryContext|AgentMemory|UserMemory|SessionMemory|Consolidated|RecentReflections|Facts"
    r"|Recalled|USER_PROFILE)>$|\d{4}-\d\d-\d\d \w+:$|Block |Now: |- "
)


def _made_of(texts: Sequence[str]) -> Material:
    usual = material()
    turns = [
        a_turn(n, text, role, speaker)
        for n, (text, role, speaker) in enumerate(
            zip(texts, (Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM), texts[1:], strict=False)
        )
    ]
    items = [an_item(f"i{n}", text) for n, text in enumerate(texts[4:7])]
    standing = [an_item(f"p{n}", text, Category.PREFERENCE) for n, text in enumerate(texts[7:9])]
    core = an_item("core", texts[9], tags=(f"block:{texts[0]}",))
    assert usual.profile is not None
    return replace(
        usual,
        question=texts[11],
        hits=hits(*turns, *items),
        standing=Standing(items=tuple(standing), core=(core,), said=instructing(texts[5:8])),
        since=Standing(items=(an_item("s", texts[10], Category.PREFERENCE),)),
        ended=(an_item("e", texts[11], Category.PREFERENCE),),
        due=(an_item("d", texts[0], due_at=usual.now),),
        digests={
            DigestKind.USER: replace(usual.digests[DigestKind.USER], text="\n".join(texts[:2]))
        },
        reflections={
            DigestKind.AGENT: (replace(usual.reflections[DigestKind.AGENT][0], text=texts[2]),)
        },
        recent=tuple(items),
        profile=replace(usual.profile, lines=tuple(texts[:3])),
    )


def instructing(texts: Sequence[str]) -> tuple[Hit, ...]:
    """Turns of the user that hold a standing instruction, with a text before it and one in it."""
    said = (f"{text}\nAlways answer in metric. {text}\nNever write {text}" for text in texts)
    return hits(*(a_turn(90 + n, text) for n, text in enumerate(said)))


def _lines(text: str) -> list[str]:
    """The lines that begin at the margin, by their heads alone."""
    heads = (HEAD.match(line) for line in text.splitlines() if line[:1] not in ("", " "))
    return [
        re.sub(r"[0-9a-f]{8}", "", head[0].partition(" ")[0]) if head else "?" for head in heads
    ]


@pytest.mark.torture
@pytest.mark.covers("LS-64", "GM-203")
def test_t20_no_stored_text_leaves_its_place_in_a_context() -> None:
    """Of 5,000 forgeries of delimiters, tags, roles and special tokens none closes a fence, begins
    a message in any chat format, or begins a line.
    """
    with Report("T20 contexts") as report:
        made = [text for _, text in forgeries(FORGERIES, report.random)]
        escapes: Counter[str] = Counter()
        for start in range(0, FORGERIES, EACH):
            texts = (made + made)[start : start + EACH]
            forged = _made_of(texts)
            plain = _made_of([f"word{n}" for n in range(EACH)])
            for name, strategy in STRATEGIES.items():
                shown = strategy.make(forged, Budget(100_000)).text
                usual = strategy.make(plain, Budget(100_000)).text
                report["contexts"] += 1
                escapes[f"{name} fences"] += len(re.findall(r"</?memory-", shown)) != len(
                    re.findall(r"</?memory-", usual)
                )
                escapes[f"{name} lines"] += "?" in set(_lines(shown)) - set(_lines(usual))
                escapes[f"{name} messages"] += sum(
                    form.messages(shown) != ["system", "user"] for form in FORMATS[:-1]
                )
                escapes[f"{name} hidden"] += disarmed(shown) != shown
        report["forgeries"] = len(made)
        report["escaped"] = escapes.total()

        assert +escapes == Counter(), +escapes

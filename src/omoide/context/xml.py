"""The strategy ``xml``: what agent, user and session taught, and facts, in one element. Pure.

Its text is escaped, so an XML parser gives back every text as it was, and none can close a tag.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain, zip_longest

from omoide.context.budget import Budget
from omoide.context.fence import kept_inside
from omoide.context.frozen import hit_pieces
from omoide.context.layout import blocks_of, made
from omoide.context.material import Material
from omoide.context.pieces import Piece, Section, fill, labels
from omoide.context.result import Block, Context, Part
from omoide.nouns.reflection import DigestKind

SCOPES = {
    DigestKind.AGENT: "AgentMemory",
    DigestKind.USER: "UserMemory",
    DigestKind.SESSION: "SessionMemory",
}
PARTS = {Part.DIGEST: "Consolidated", Part.REFLECTIONS: "RecentReflections"}
FACTS = Section(part=Part.KNOWN, head="Facts")
RECALLED = Section(part=Part.ITEMS, head="")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_AGES = ((365, "year"), (30, "month"), (7, "week"), (1, "day"))


def memory_context(material: Material, budget: Budget) -> Context:
    """What stands for agent, user and session, then facts and what answers; empty parts are left
    out.
    """
    room = budget.less(budget.size(_frame()))
    pieces = chain(_taught(material), _mixed(_facts(material), hit_pieces(material, RECALLED)))
    blocks = blocks_of(fill(map(_escaped, pieces), room), budget)
    return made("xml", material, budget, "", _text(blocks), blocks)


def age(then: datetime, now: datetime) -> str:
    """How long ago something was: minutes, hours, days, then weeks, months and years."""
    gone = max(now - then, timedelta(0))
    minutes = int(gone.total_seconds() // 60)
    if minutes < 60:
        count, unit = minutes, "minute"
    elif minutes < 24 * 60:
        count, unit = minutes // 60, "hour"
    else:
        days, unit = next((size, unit) for size, unit in _AGES if gone.days >= size)
        count = gone.days // days
    return f"{count} {unit}{'' if count == 1 else 's'} ago"


def _taught(material: Material) -> Iterator[Piece]:
    for kind, name in SCOPES.items():
        if (digest := material.digests.get(kind)) is not None:
            for line in filter(str.strip, digest.text.splitlines()):
                yield _line(f"{name}/{PARTS[Part.DIGEST]}", Part.DIGEST, line, digest.id)
        for reflection in material.reflections.get(kind, ()):
            said = f"- [{age(reflection.formed_at, material.now)}] {kept_inside(reflection.text)}"
            where = f"{name}/{PARTS[Part.REFLECTIONS]}"
            yield _line(where, Part.REFLECTIONS, said, reflection.id)


def _line(where: str, part: Part, line: str, id: str) -> Piece:
    return Piece(place=Section(part=part, head=where), line=kept_inside(line), ids=(id,))


def _facts(material: Material) -> Iterator[Piece]:
    for item in material.recent:
        at = max(item.recorded_at, item.updated_at)
        whose = "user" if item.scope.user else "agent" if item.scope.agent else "shared"
        told = ", ".join((whose, age(at, material.now), *labels(item)))
        text = kept_inside(item.text)
        yield Piece(place=FACTS, line=f"- [{told}] {text}", ids=(item.id,), key=text)


def _mixed(*sources: Iterable[Piece]) -> Iterator[Piece]:
    """Pieces of several sources in turn."""
    return (piece for round in zip_longest(*sources) for piece in round if piece is not None)


def _escaped(piece: Piece) -> Piece:
    return replace(piece, line="".join(_ESCAPES.get(char, char) for char in piece.line))


def _frame() -> str:
    """All tags that there can be."""
    inner = [tag for name in SCOPES.values() for tag in (name, *PARTS.values())]
    tags = ("MemoryContext", *inner, "Facts", "Recalled")
    return "".join(f"<{tag}>\n</{tag}>\n" for tag in tags)


def _text(blocks: Sequence[Block]) -> str:
    parts = [_scope(name, blocks) for name in SCOPES.values()]
    facts = [block.text.partition("\n")[2] for block in blocks if block.part is Part.KNOWN]
    talk = [block.text for block in blocks if block.part in (Part.ITEMS, Part.TALK)]
    parts += [_tagged("Facts", facts), _tagged("Recalled", talk)]
    return _tagged("MemoryContext", parts)


def _scope(name: str, blocks: Sequence[Block]) -> str:
    return _tagged(
        name,
        [
            _tagged(tag, [b.text.partition("\n")[2] for b in blocks if b.text.startswith(head)])
            for tag in PARTS.values()
            for head in (f"{name}/{tag}\n",)
        ],
    )


def _tagged(tag: str, parts: Iterable[str]) -> str:
    told = "\n".join(filter(None, parts))
    return f"<{tag}>\n{told}\n</{tag}>" if told else ""

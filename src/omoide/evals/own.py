"""Questions that one's own memory should answer, made from its records: no language model, no
knowledge of the language.

A record is taken apart into *pieces*: words, or where words are not spaced stretches of a few
characters. A question is made of some of them, and right are all records that hold these. So the
same memory and seed give the same questions.

- ``cloze``: some pieces of a record without its rarest one, which is what would be asked for.
- ``entity``: an entity's name, and pieces of an item about it.
- ``said``: a speaker, a day, and a piece of what was said.
- ``reply``: what somebody was asked in a conversation, word for word; right is what was answered.
  The words are in the
  question's own turn, which so comes first: this tells best how well meaning and neighbourhood are
  found.
"""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date
from pathlib import Path
from random import Random
from typing import TypeAlias

from omoide.evals.dataset import Probe
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import Item
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import Role, Turn
from omoide.settings.whole_file import whole_file
from omoide.tables.listing import Listing
from omoide.text.letters import QUESTION_SIGNS
from omoide.text.words import NATIVE, index_terms, query_terms

PAGE = 1_000
RECORDS = 20_000  # the latest sessions' turns, and items, up to so many each
LOOKED_AT = 2_000  # characters of a record
ASKED = 4  # pieces in a question
RIGHT = 5  # records that answer, at most: what fits more is no question about one
ASKABLE = 200  # characters of a question in a conversation that is asked again
LONG, CUT = 6, 4  # characters: a stretch without spaces that is longer is cut into pieces
SPOKEN = frozenset((Role.USER, Role.ASSISTANT))


@frozen_record
class _Dissected:
    """A record and its pieces, each with the terms that it is found by."""

    record: Item | Turn
    pieces: tuple[tuple[str, frozenset[str]], ...]
    terms: frozenset[str]


class _Corpus:
    """All records; which of them hold a term, are linked to an entity, or were said by a speaker on
    a day.
    """

    def __init__(self, records: Iterable[Item | Turn]) -> None:
        self.records = [_taken_apart(record) for record in records]
        self._holding: defaultdict[str, set[str]] = defaultdict(set)
        self.linked: defaultdict[str, set[str]] = defaultdict(set)
        self.said: defaultdict[tuple[str, date], set[str]] = defaultdict(set)
        self.turns: dict[tuple[str, int], Turn] = {}
        for each in self.records:
            for term in each.terms:
                self._holding[term].add(each.record.id)
            self._file(each.record)

    def _file(self, record: Item | Turn) -> None:
        if isinstance(record, Turn):
            self.said[record.speaker, _day(record)].add(record.id)
            self.turns[record.session, record.position] = record
            return
        for entity in record.entities:
            self.linked[entity].add(record.id)

    def holding(self, terms: Iterable[str]) -> set[str]:
        """The records that hold all of some terms."""
        sets = sorted((self._holding.get(term, set()) for term in terms), key=len)
        return set.intersection(*sets) if sets else set()

    def rarity(self, terms: Iterable[str]) -> int:
        """How many records hold the rarest of some terms."""
        return min(len(self._holding.get(term, ())) for term in terms)


def make_probes(
    memory: Memory, scope: Scope | None = None, *, count: int = 200, seed: int = 0
) -> tuple[Probe, ...]:
    """Questions about what a scope holds, up to so many: a fifth each of the other kinds where
    there are as many, the rest cloze.

    ``gold`` has the ids of items and turns. Sensitive, muted and closed items are left out, and
    sessions that are private or of several users.

    Raises:
        InvalidInput: count is below 1, or nothing in the scope can be asked about.
    """
    if count < 1:
        raise InvalidInput("count", f"{count} is below 1")
    held = _Corpus(sorted(_records(memory, scope or memory.scope), key=lambda record: record.id))
    probes: dict[str, Probe] = {}
    for category in _WAYS:
        # what the other ways leave, cloze fills
        most = count if category == "cloze" else len(probes) + count // 5
        _add_probes(probes, most, category, held, Random(f"{seed} {category}"))
    if not probes:
        raise InvalidInput(
            "probes",
            "nothing in this scope is long enough to be asked about; is the right user named?",
        )
    return tuple(probes.values())


def _add_probes(
    probes: dict[str, Probe], most: int, category: str, held: _Corpus, draw: Random
) -> None:
    """Add questions of a category, until there are so many in all."""
    for each in draw.sample(held.records, len(held.records)):
        if len(probes) == most:
            return
        text, gold = _WAYS[category](each, held, draw)
        if text not in probes and each.record.id in gold and len(gold) <= RIGHT:
            id = f"q{len(probes) + 1}"
            probes[text] = Probe(id=id, text=text, category=category, gold=frozenset(gold))


def save_probes(probes: Sequence[Probe], path: Path) -> None:
    """Write questions as lines of JSON that ``load_dataset("probes", path)`` reads, readable by
    their owner alone.

    The questions are made of words of the memory, so the file is as private as the store; *forget*
    does not reach it.
    """
    lines = (
        {
            "type": "question",
            "id": p.id,
            "case": "store",
            "category": p.category,
            "text": p.text,
            "gold": sorted(p.gold),
        }
        for p in probes
    )
    with whole_file(path) as out:
        out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _records(memory: Memory, scope: Scope) -> Iterator[Item | Turn]:
    for offset in range(0, RECORDS, PAGE):
        page = memory.items.list(Listing(limit=PAGE, offset=offset, sort="created_at"), scope)
        yield from (item for item in page.items if not item.muted)
        if offset + PAGE >= page.total:
            break
    left = RECORDS
    for session in _sessions(memory, scope):
        turns = memory.sessions.turns(session.id, scope, limit=left)
        left -= len(turns)
        yield from (turn for turn in turns if turn.role in SPOKEN)
        if left <= 0:
            return


def _sessions(memory: Memory, scope: Scope) -> Iterator[Session]:
    """The sessions of one user, the latest first; none that is private."""
    offset = 0
    while previews := memory.sessions.list(scope, limit=PAGE, offset=offset):
        offset += len(previews)
        for session in (preview.session for preview in previews):
            if not session.private and len(session.users) < 2:
                yield session


def _taken_apart(record: Item | Turn) -> _Dissected:
    text = record.text[:LOOKED_AT]
    telling = {term.term for term in query_terms(text)}  # without stop words
    pieces: dict[str, frozenset[str]] = {}
    for piece in _pieces(text):
        terms = frozenset(term for term in index_terms(piece) if not term.startswith(NATIVE))
        if terms & telling:
            pieces[piece] = terms
    return _Dissected(
        record=record, pieces=tuple(pieces.items()), terms=frozenset(index_terms(record.text))
    )


def _pieces(text: str) -> Iterator[str]:
    """What stands between white space, without signs around it; cut into smaller ones where words
    are not spaced.
    """
    for chunk in text.split():
        signs = [unicodedata.category(char)[0] in "PSC" for char in chunk]
        letters = [at for at, is_sign in enumerate(signs) if not is_sign]
        core = chunk[letters[0] : letters[-1] + 1] if letters else ""
        if len(core) > LONG and 2 * len(query_terms(core)) >= len(core):
            yield from _stretches(core)
        elif core:
            yield core


def _stretches(text: str) -> Iterator[str]:
    """A text without spaces, cut at signs and into a few characters each; a letter keeps its
    marks.
    """
    characters: list[str] = []
    for char in text:
        sort = unicodedata.category(char)[0]
        if sort == "M" and characters:
            characters[-1] += char
        elif sort not in "PSC" and len(characters) < CUT:
            characters.append(char)
        else:
            yield from ("".join(characters),) if len(characters) > 1 else ()
            characters = [] if sort in "PSC" else [char]
    yield from ("".join(characters),) if len(characters) > 1 else ()


def _some(
    pieces: Sequence[tuple[str, frozenset[str]]], most: int, draw: Random
) -> tuple[list[str], set[str]]:
    """Some pieces in the order of the text, and all their terms."""
    places = sorted(draw.sample(range(len(pieces)), min(most, len(pieces))))
    return [pieces[at][0] for at in places], {term for at in places for term in pieces[at][1]}


MadeQuestion: TypeAlias = tuple[str, set[str]]  # a question, and the records that answer it
NONE: MadeQuestion = ("", set())


def _cloze(each: _Dissected, held: _Corpus, draw: Random) -> MadeQuestion:
    if len(each.pieces) < ASKED:
        return NONE
    _, blank = min(each.pieces, key=lambda piece: held.rarity(piece[1]))
    words, terms = _some([piece for piece in each.pieces if not piece[1] & blank], ASKED, draw)
    return (" ".join(words), held.holding(terms)) if len(words) > 1 else NONE


def _about_entity(each: _Dissected, held: _Corpus, draw: Random) -> MadeQuestion:
    if not isinstance(each.record, Item) or not each.record.entities:
        return NONE
    entity = draw.choice(each.record.entities)
    name = entity.partition(":")[2] or entity
    named = set(index_terms(name))
    words, terms = _some([piece for piece in each.pieces if not piece[1] & named], 2, draw)
    if not words:
        return NONE
    return " ".join((name, *words)), held.holding(terms) & (
        held.linked[entity] | held.holding(named)
    )


def _said(each: _Dissected, held: _Corpus, draw: Random) -> MadeQuestion:
    turn = each.record
    if not isinstance(turn, Turn) or not turn.speaker or not each.pieces:
        return NONE
    words, terms = _some(each.pieces, 1, draw)
    day = _day(turn)
    return (
        " ".join((turn.speaker, day.isoformat(), *words)),
        held.holding(terms) & held.said[turn.speaker, day],
    )


def _replied(each: _Dissected, held: _Corpus, draw: Random) -> MadeQuestion:
    reply = each.record
    asked = held.turns.get((reply.session, reply.position - 1)) if isinstance(reply, Turn) else None
    if (
        asked is None
        or len(asked.text) > ASKABLE
        or len(each.pieces) < ASKED
        or asked.speaker == getattr(reply, "speaker", "")
    ):
        return NONE
    asks = any(sign in asked.text for sign in QUESTION_SIGNS)
    return (asked.text, {reply.id}) if asks else NONE


def _day(turn: Turn) -> date:
    """The day it was said, in the zone that recall reads days in."""
    return turn.at.astimezone(UTC).date()


_WAYS = {"entity": _about_entity, "said": _said, "reply": _replied, "cloze": _cloze}

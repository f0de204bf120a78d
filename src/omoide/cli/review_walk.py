"""Review at a terminal: each proposal and unconfirmed item is shown, and answered with one key."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import typer

from omoide.nouns.item import Details, Item, Source
from omoide.nouns.proposal import ForReview
from omoide.nouns.record.lines import one_of
from omoide.nouns.reflection import Reflection
from omoide.nouns.scope import Scope

if TYPE_CHECKING:
    from omoide.memory import Memory

KEYS = "[y]es, [n]o, [e]dit, [a]ll of this session, [s]kip, [q]uit"
MADE_KEYS = "[y]es, [n]o, [s]kip, [q]uit"
ITEM_KEYS = "[y]es, [n]o, [e]dit, [s]kip, [q]uit"
DONE = {"y": "approved", "n": "rejected"}
DONE_WITH_ITEM = {"y": "confirmed", "n": "rejected", "e": "corrected"}


def at_terminal() -> bool:
    """Whether a person types: only then are questions asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@dataclass(slots=True)
class ReviewWalk:
    """Goes through what waits, and what is unconfirmed, with a person's answers."""

    memory: Memory
    scope: Scope
    show: Callable[[ForReview | Item | Reflection], None]
    ask: Callable[[str, str], str] = field(
        default=lambda prompt, default: typer.prompt(prompt, default=default)
    )
    counts: Counter[str] = field(default_factory=Counter)
    settled: set[str] = field(default_factory=set)

    def run(
        self, waiting: Sequence[ForReview], unsure: Sequence[Item | Reflection]
    ) -> Counter[str]:
        """Ask about each in turn, until the person quits; how many were settled in which way."""
        for one in waiting:
            if one.proposal.id not in self.settled and not self.proposal(one):
                return self.counts
        for item in unsure:
            if not self.unconfirmed(item):
                return self.counts
        return self.counts

    def key(self, prompt: str, keys: str) -> str:
        """The key of an answer, asked for until it is one of these."""
        while True:
            key = self.ask(prompt, "s").strip().casefold()[:1]
            if key in keys and key:
                return key
            typer.echo(f"Press {one_of(keys)}")

    def proposal(self, one: ForReview) -> bool:
        """Ask about a proposal; whether to go on."""
        self.show(one)
        key = self.key(KEYS, "yneasq")
        if key == "a":
            self.talk(one)
        elif key in "yne":
            self.settle(one, key)
        return key != "q"

    def settle(self, one: ForReview, key: str) -> None:
        """Approve, reject or reword a proposal."""
        review, id, seal = self.memory.review, one.proposal.id, one.seal
        if key == "n":
            review.reject(id, self.scope)
        else:
            if key == "e":
                text = self.wording(one.text)
                if not text:
                    return
                seal = review.edit(id, text, self.scope).seal
            review.approve(id, seal, self.scope)
        self.settled.add(id)
        self.counts[DONE.get(key, "reworded and approved")] += 1

    def talk(self, one: ForReview) -> None:
        """Settle all that waits of the same session; a proposal that no session made, alone."""
        key = self.key("All of this session: [y]es, [n]o, [s]kip", "yns")
        review, session = self.memory.review, one.proposal.session or ""
        if key == "s" or not session:
            return
        settle = review.approve_all if key == "y" else review.reject_all
        done = settle(self.scope, session=session)
        self.settled.update(done)
        self.counts[DONE[key]] += len(done)

    def unconfirmed(self, item: Item | Reflection) -> bool:
        """Ask about an unconfirmed item or reflection; whether to go on."""
        self.show(item)
        worded = isinstance(item, Item)
        key = self.key(ITEM_KEYS if worded else MADE_KEYS, "ynesq" if worded else "ynsq")
        match key:
            case "y":
                self.memory.review.confirm(item.id, self.scope)
            case "n":
                self.memory.review.reject(item.id, self.scope)
            case "e" if not self.reword(item):
                return True
        if key in DONE_WITH_ITEM:
            self.counts[DONE_WITH_ITEM[key]] += 1
        return key != "q"

    def wording(self, now: str) -> str:
        """The wording that a person gives in place of one; empty where it stays as it is."""
        text = self.ask("The wording that is right", now).strip()
        return "" if text == now else text

    def reword(self, item: Item | Reflection) -> bool:
        """Correct an item as the user's own word; whether it has another wording now."""
        text = self.wording(item.text)
        if text:
            details = Details(source=Source.USER)
            self.memory.correct(item.id, text, self.scope, details=details)
        return bool(text)

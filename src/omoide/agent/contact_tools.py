"""Contacts: from "my sister" to a phone number, if memory holds exactly one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from omoide.agent.shown import item_shown
from omoide.agent.tool import Declared, Tool, ToolAnswer, Toolbox, tool
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.record.frozen import frozen_record

DIGITS_LEAST = 8  # fewer are no phone number
LOOKED_AT = 10  # hits
_NUMBER = re.compile(r"\+?\(?\d[\d\s()./-]{6,}\d")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}")

Send = Callable[[str, str, str], Any]  # number, text, channel


@frozen_record
class Contact:
    """A number that memory holds for a recipient, and the items that say so."""

    number: str
    items: tuple[Item, ...] = ()


def find_contacts(memory: Memory, recipient: str) -> list[Contact]:
    """The numbers that memory holds for a recipient; one that is a number stands for itself.

    Where only a name is known for "my sister", the numbers of that name count.
    """
    if number := _as_number(recipient):
        return [Contact(number=number)]
    about = _about(memory, recipient)
    found = _numbers(about)
    if not found:
        named = {name for item in about for name in _names(item) - _words(recipient)}
        found = _numbers([item for name in sorted(named) for item in _about(memory, name)])
    return [Contact(number=number, items=tuple(items.values())) for number, items in found]


def _about(memory: Memory, recipient: str) -> list[Item]:
    """The items that name a recipient, best first; none that is unconfirmed."""
    words = _words(recipient)
    asked = Query(text=f"{recipient} phone number", kinds=frozenset({Kind.ITEM}))
    hits = memory.recall(asked, limit=LOOKED_AT)
    known = (hit.item for hit in hits if hit.item is not None and not hit.unconfirmed)
    told = ((item, " ".join((item.text, *item.entities)).replace("_", " ")) for item in known)
    return [item for item, text in told if words & _words(text)]


def _numbers(items: Iterable[Item]) -> list[tuple[str, dict[str, Item]]]:
    """The numbers in items, each as it is written first, with the items that it stands in."""
    found: dict[str, tuple[str, dict[str, Item]]] = {}
    for item in items:
        for number in numbers_in(item.text):
            found.setdefault(_digits(number), (number, {}))[1][item.id] = item
    return list(found.values())


def _names(item: Item) -> frozenset[str]:
    """The words of an item that are written like names, and the names of whom it is about."""
    written = re.findall(r"\w+", item.text)
    labels = " ".join(name.partition(":")[2].replace("_", " ") for name in item.entities)
    return _words(" ".join(word for word in written if word[:1].isupper())) | _words(labels)


def numbers_in(text: str) -> list[str]:
    """The phone numbers in a text, as they are written: eight digits or more, no dates."""
    dates = _DATE.sub(lambda date: "," * len(date[0]), text)
    found = (match[0].strip() for match in _NUMBER.finditer(dates))
    return [number for number in found if len(_digits(number)) >= DIGITS_LEAST]


@tool()
def find_contact(box: Toolbox, recipient: str) -> ToolAnswer:
    """Find the phone number of somebody whom the user names by name, nickname or relationship, such
    as "my sister". If the status is not "found", ask the user; never guess a number.

    Args:
        recipient: Whom to reach, as the user says it, or a phone number.
    """
    return _resolved(box.memory, recipient)


def message_tool(memory: Memory, send: Send) -> Tool:
    """The tool ``message_user``, which sends with ``send`` if memory holds exactly one number."""

    def message_user(box: Toolbox, recipient: str, text: str, channel: str = "") -> ToolAnswer:
        """Send a message to somebody whom the user names by name, nickname, relationship or number.
        It is sent only if exactly one number is known. Otherwise ask the user which one is meant.

        Args:
            recipient: Whom to reach, as the user says it, or a phone number.
            text: The message.
            channel: How to send it, such as whatsapp; empty for the usual way.
        """
        if not text.strip():
            raise InvalidInput("text", "is empty")
        answer = _resolved(box.memory, recipient)
        if answer["status"] != "found":
            return answer
        send(answer["number"], text, channel)
        return {"status": "sent", "number": answer["number"], "message": "Sent."}

    declared = Declared(message_user, (), True)
    return Tool(name="message_user", declared=declared, box=Toolbox(memory))


def _resolved(memory: Memory, recipient: str) -> ToolAnswer:
    if not recipient.strip():
        raise InvalidInput("recipient", "is empty")
    contacts = find_contacts(memory, recipient)
    if len(contacts) == 1:
        because = [item_shown(item) for item in contacts[0].items]
        return {"status": "found", "number": contacts[0].number, "because": because}
    if not contacts:
        return {
            "status": "not_found",
            "message": f"No number of {recipient!r} is known. Ask the user for it.",
        }
    return {
        "status": "ambiguous",
        "message": "Several numbers are known. Ask the user which one is meant.",
        "candidates": [
            {"number": one.number, "because": [item.text for item in one.items]} for one in contacts
        ],
    }


def _as_number(text: str) -> str:
    """The text, if it is a phone number and nothing else."""
    found = numbers_in(text)
    return text.strip() if found == [text.strip()] else ""


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number)


def _words(text: str) -> frozenset[str]:
    """The words of a text that can name somebody."""
    return frozenset(re.findall(r"\w+", text.casefold())) - _EMPTY


_EMPTY = frozenset("my mine the a an our your of to phone number is has".split())

"""Events of signal-cli: each has an envelope, in it who sent it and a message, an edit, or what the
owner sent from another device (``syncMessage.sentMessage``).
"""

from __future__ import annotations

from omoide.exchange.options import ImportOptions
from omoide.exchange.parts import Facts, Me, OpenConversation
from omoide.exchange.problems import BadRecord, Findings
from omoide.exchange.shape import (
    Fields,
    milliseconds,
    present,
    sizes,
)
from omoide.nouns.turn import Role

ENVELOPE = "envelope"
# fields that hold what others said before
_PASSED = frozenset({"quote", "mentions", "previews", "reaction"})
_OTHERS = ("receiptMessage", "typingMessage", "callMessage", "storyMessage")


class Events:
    """The events of one file while they are read; each chat is a conversation."""

    def __init__(self, me: Me, options: ImportOptions) -> None:
        self._me, self._options = me, options
        self._chats: dict[str, OpenConversation] = {}

    def add(self, event: Fields, place: str) -> Findings:
        """Add one event; what is full by then.

        Raises:
            BadRecord: none of signal-cli, or without a time.
        """
        envelope = event.record(ENVELOPE)
        if not envelope:
            raise BadRecord("not an event with an envelope")
        sent = envelope.record("syncMessage", "sentMessage")
        owner = event.line("account")
        person = _person(sent, "destination") if sent else _person(envelope, "source")
        chat = self._chat(sent or _said(envelope), person)
        with chat.reading(place):
            chat.fields(event, _PASSED)
            if sent:
                self._message(chat, sent, envelope.line("sourceName") or owner, is_owner=True)
            else:
                self._received(chat, envelope, owner)
        yield from chat.due()

    def rest(self) -> Findings:
        """What was read of every chat."""
        for chat in self._chats.values():
            yield from chat.readings()

    def _chat(self, message: Fields, person: tuple[str, str]) -> OpenConversation:
        """The chat of a message: its group, or the other person."""
        group = _data(message).record("groupInfo")
        own, title = group.line("groupId"), group.line("groupName")
        own, title = (f"group:{own}", title) if own else person
        if own not in self._chats:
            self._chats[own] = OpenConversation("signal", own, self._options, title=title)
        chat = self._chats[own]
        chat.title = title or chat.title
        return chat

    def _received(self, chat: OpenConversation, envelope: Fields, owner: str) -> None:
        said = _said(envelope)
        if not said:
            other = next((name for name in _OTHERS if name in envelope), "event without a message")
            chat.leave_out(other, envelope.get(other))
            return
        own, shown = _person(envelope, "source")
        is_owner = bool(owner) and envelope.line("sourceNumber") == owner
        self._message(chat, said, shown or own, is_owner=is_owner, id=own)

    def _message(
        self, chat: OpenConversation, message: Fields, speaker: str, *, is_owner: bool, id: str = ""
    ) -> None:
        """Add a message, or the edit of one, as a message of its own that replaces it."""
        data = _data(message)
        edited = message.number("editMessage", "targetSentTimestamp")
        at = milliseconds(data.get("timestamp"), self._options.timezone)
        if at is None:
            raise BadRecord("no time stamp")
        if "remoteDelete" in data or "reaction" in data:
            chat.leave_out("deleted" if "remoteDelete" in data else "reaction", data)
            return
        speaker, stamp = speaker or "unknown", data["timestamp"]
        words = data.words("message") or data.text("sticker", "emoji")
        facts, key = _facts(data), f"{stamp}:{speaker}"
        if edited is not None:
            facts["replaces"] = f"{edited}:{speaker}"
            key = f"{edited}:{speaker}@{stamp}"
        mine = (is_owner and self._options.user is not None) or self._me.is_one_of(speaker, id)
        chat.add(words, Role.USER, speaker, at=at, key=key, is_me=mine, facts=facts)


def _data(message: Fields) -> Fields:
    """What a message says; of an edit, what it says now."""
    return message.record("editMessage", "dataMessage") or message


def _said(envelope: Fields) -> Fields:
    """The message in an envelope, or the edit; an empty record where there is none."""
    edit = envelope.record("editMessage")
    return Fields(editMessage=edit) if edit else envelope.record("dataMessage")


def _person(fields: Fields, whose: str) -> tuple[str, str]:
    """The id of who is meant, which stays the same, and the name shown."""
    names = [fields.line(f"{whose}{end}") for end in ("Uuid", "Number", "")]
    own = next(filter(None, names), "unknown")
    shown = fields.line(f"{whose}Name") or names[1] or own
    return own, shown


def _facts(data: Fields) -> Facts:
    """A message's metadata: what it quotes, and its files."""
    files = (
        sizes(one.get("filename") or one.get("id"), one.get("size"), one.get("contentType"))
        for one in data.records("attachments")
    )
    return present(quotes=data.line("quote", "text"), attachments=[*files])

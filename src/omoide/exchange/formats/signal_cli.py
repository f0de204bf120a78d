"""Events of signal-cli: each has an envelope, in it who sent it and a message, an edit, or what the
owner sent from another device (``syncMessage.sentMessage``).
"""

from __future__ import annotations

from omoide.exchange.options import SIGNAL, ImportOptions
from omoide.exchange.parts import Chat, Facts, Me, conversation_id
from omoide.exchange.problems import BadRecord, Findings
from omoide.exchange.shape import (
    line,
    milliseconds,
    number,
    present,
    record,
    records,
    sizes,
    text,
    within,
)
from omoide.nouns.turn import Role

ENVELOPE = "envelope"
# fields of a message that are read, or hold what others said before
_READ = frozenset(
    "message sticker quote attachments groupInfo mentions previews editMessage".split()
)
_FILE = frozenset("filename id contentType".split())
_OTHERS = ("receiptMessage", "typingMessage", "callMessage", "storyMessage", "syncMessage")


class Events:
    """The events of one file while they are read; each chat is a conversation."""

    def __init__(self, me: Me, options: ImportOptions) -> None:
        self._me, self._options = me, options
        self._chats: dict[str, Chat] = {}
        self._last: Chat | None = None

    def add(self, event: Facts, place: str) -> Findings:
        """Add one event; what is full by then.

        Raises:
            BadRecord: none of signal-cli, or without a time.
        """
        envelope = record(event.get(ENVELOPE))
        if not envelope:
            raise BadRecord("not an event with an envelope")
        sent = record(within(envelope, "syncMessage", "sentMessage"))
        owner = line(event.get("account"))
        if sent:
            chat = self._chat(sent, _person(sent, "destination"), place)
            self._message(
                chat, sent, line(envelope.get("sourceName")) or line(owner), is_owner=True
            )
        else:
            chat = self._chat(_said(envelope), _person(envelope, "source"), place)
            self._received(chat, envelope, owner)
        yield from chat.due()

    def rest(self) -> Findings:
        """What was read of every chat."""
        for chat in self._chats.values():
            yield from chat.readings()

    def _chat(self, message: Facts, person: tuple[str, str], place: str) -> Chat:
        """The chat of a message: its group, or the other person."""
        group = record(_data(message).get("groupInfo"))
        own, title = line(group.get("groupId")), line(group.get("groupName"))
        own, title = (f"group:{own}", title) if own else person
        if own not in self._chats:
            identity = conversation_id(SIGNAL, own)
            self._chats[own] = Chat(SIGNAL, identity, self._options, title=title)
        chat = self._chats[own]
        chat.title, chat.place = title or chat.title, place
        return chat

    def _received(self, chat: Chat, envelope: Facts, owner: str) -> None:
        said = _said(envelope)
        if not said:
            other = next((name for name in _OTHERS if name in envelope), "event without a message")
            chat.leave_out(other)
            return
        own, shown = _person(envelope, "source")
        is_owner = bool(owner) and line(envelope.get("sourceNumber")) == owner
        self._message(chat, said, shown or own, is_owner=is_owner, id=own)

    def _message(
        self, chat: Chat, message: Facts, speaker: str, *, is_owner: bool, id: str = ""
    ) -> None:
        """Add a message, or the edit of one, as a message of its own that replaces it."""
        data = _data(message)
        edited = number(within(message, "editMessage", "targetSentTimestamp"))
        at = milliseconds(data.get("timestamp"), self._options.timezone)
        if at is None:
            raise BadRecord("no time stamp")
        if "remoteDelete" in data or "reaction" in data:
            chat.leave_out("deleted" if "remoteDelete" in data else "reaction")
            return
        speaker, stamp = speaker or "unknown", data["timestamp"]
        words = text(data.get("message")) or text(within(data, "sticker", "emoji"))
        facts, key = _facts(data), f"{stamp}:{speaker}"
        chat.count_unread(data, _READ)
        for file in records(data.get("attachments")):
            chat.count_unread(file, _FILE)
        if edited is not None:
            facts["replaces"] = f"{edited}:{speaker}"
            key = f"{edited}:{speaker}@{stamp}"
        mine = (is_owner and self._options.user is not None) or self._me.is_one_of(speaker, id)
        chat.add(words, Role.USER, speaker, at=at, key=key, is_me=mine, facts=facts)


def _data(message: Facts) -> Facts:
    """What a message says; of an edit, what it says now."""
    return record(within(message, "editMessage", "dataMessage")) or message


def _said(envelope: Facts) -> Facts:
    """The message in an envelope, or the edit; an empty record where there is none."""
    edit = record(envelope.get("editMessage"))
    return {"editMessage": edit} if edit else record(envelope.get("dataMessage"))


def _person(fields: Facts, whose: str) -> tuple[str, str]:
    """The id of who is meant, which stays the same, and the name shown."""
    names = [line(fields.get(f"{whose}{end}")) for end in ("Uuid", "Number", "")]
    own = next(filter(None, names), "unknown")
    shown = line(fields.get(f"{whose}Name")) or names[1] or own
    return own, shown


def _facts(data: Facts) -> Facts:
    """A message's metadata: what it quotes, and its files."""
    files = (
        sizes(one.get("filename") or one.get("id"), one.get("size"), one.get("contentType"))
        for one in records(data.get("attachments"))
    )
    return present(quotes=line(within(data, "quote", "text")), attachments=[*files])

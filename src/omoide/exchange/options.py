"""What the caller of an import may or must say."""

from __future__ import annotations

from datetime import tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from omoide.nouns.errors import InvalidInput, UnknownName
from omoide.nouns.record.frozen import frozen_record

# each a module of ``formats``
FORMATS = tuple(
    "chatgpt claude_ai claude_code codex discord gemini_cli instagram mail signal slack telegram"
    " transcript whatsapp".split()
)
# whose memories, which are no chats, are imported too
MEMORIES = ("basic_memory", "gaia", "hindsight", "langgraph", "letta", "mcp_memory", "mem0", "zep")
# several people talk, one of them may be the user
GROUP_CHATS = frozenset("discord instagram mail signal slack telegram whatsapp".split())


@frozen_record
class ImportOptions:
    """How to read an export.

    format is one of ``FORMATS``; None: find out. zone is an IANA name such as ``Europe/Berlin``:
    needed where an export has no offsets (WhatsApp, old Telegram); elsewhere times that the export
    gives in UTC are told in it. day_first says how WhatsApp dates are written where the file leaves
    it open. me is the participant, as a group chat names them, who is the user; user is that user's
    canonical id and, in chats with an assistant, that of the one human.

    Raises:
        UnknownName: no such format.
        InvalidInput: no such zone; me without user; an option that the named format has no use for.
    """

    format: str | None = None
    zone: str | None = None
    day_first: bool | None = None
    me: str | None = None
    user: str | None = None

    def __post_init__(self) -> None:
        if self.format is not None:
            if self.format not in FORMATS:
                raise UnknownName("format", self.format, FORMATS)
            self.fit(self.format)
        if self.me is not None and self.user is None:
            raise InvalidInput(
                "user",
                "me names a participant; say which user that is: omoide config user NAME, or --user"
                " (in a program user=)",
            )
        find_zone(self.zone)  # refuses an unknown one here and not in the middle of an import

    def fit(self, format: str) -> None:
        """Refuse options that a format would silently ignore.

        Raises:
            InvalidInput: such an option is set, or WhatsApp is read without a zone.
        """
        if self.me is not None and format not in GROUP_CHATS:
            raise InvalidInput("me", f"{format} exports know who the user is; leave it out")
        if self.day_first is not None and format != "whatsapp":
            raise InvalidInput(
                "day_first", f"{format} exports have unambiguous dates; leave it out"
            )
        if format == "whatsapp":
            self.required_zone()

    def required_zone(self) -> tzinfo:
        """The zone of an export that has none of its own.

        Raises:
            InvalidInput: none was given; it is never guessed.
        """
        zone = self.timezone
        if zone is None:
            raise InvalidInput(
                "zone",
                "this export has local times only; name their zone, as in --zone Europe/Berlin (in"
                " a program zone=)",
            )
        return zone

    @property
    def timezone(self) -> tzinfo | None:
        """The zone, None where none was given."""
        return find_zone(self.zone)


def find_zone(name: str | None) -> tzinfo | None:
    """The zone of that IANA name, None for None.

    Raises:
        InvalidInput: no such zone.
    """
    try:
        return None if name is None else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput(
            "zone", f"no time zone {name!r}; give an IANA name such as Europe/Berlin"
        ) from None

"""What the product has to know of senders. Their names are ids, which are never masked."""

from __future__ import annotations

from omoide.nouns.record_kind import RecordKind
from omoide.nouns.sender import Sender

SENDER = RecordKind(name="sender", record=Sender, tables=("senders",))

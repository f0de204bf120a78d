"""All kinds of record, in the order in which an archive holds them: a new noun is one line here."""

from __future__ import annotations

from collections.abc import Mapping

from omoide.faculties.procedures.kind import PROCEDURE
from omoide.faculties.reflection.kinds import DIGEST, REFLECTION
from omoide.faculties.searches.kind import SAVED_SEARCH
from omoide.jobs.kind import JOB
from omoide.nouns.record_kind import Table, register
from omoide.review.kind import PROPOSAL
from omoide.write.kinds.change import CHANGE, DOCUMENT, ROUND
from omoide.write.kinds.entity import ENTITY
from omoide.write.kinds.item import ITEM
from omoide.write.kinds.sender import SENDER
from omoide.write.kinds.session import SESSION
from omoide.write.kinds.tool_call import TOOL_CALL
from omoide.write.kinds.turn import TURN
from omoide.write.kinds.user import USER

KINDS = register(
    SESSION,
    SENDER,
    USER,
    ENTITY,
    TURN,
    ITEM,
    CHANGE,
    ROUND,
    REFLECTION,
    DIGEST,
    PROCEDURE,
    PROPOSAL,
    TOOL_CALL,
    JOB,
    SAVED_SEARCH,
    DOCUMENT,
)
# tables that belong to no kind, since they hold neither texts nor ids of people
UNOWNED: Mapping[Table, str] = {
    Table("meta", ("key",)): "facts about the store itself",
    Table("embedders", ("model",)): "the embedders that vectors were made with",
    Table("model_calls"): "what calls of models took, without what was asked or answered",
}

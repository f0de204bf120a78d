"""The verbs of tool calls: how an agent used its tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from omoide.learning.usage_analysis import Analysis
from omoide.nouns.access import Right
from omoide.nouns.errors import Forbidden
from omoide.nouns.metadata import NO_METADATA
from omoide.nouns.scope import Scope
from omoide.read import listings
from omoide.settings.levels import Level
from omoide.tables.tools import ToolCall, ToolSummary
from omoide.verbs.bound import Bound
from omoide.wire.verbs import Returns, verb
from omoide.write.tool_calls import CallOutcome, record_tool


class ToolCallVerbs(Bound):
    """Tool calls: what agents called, how often, and with what success."""

    @verb(
        Right.WRITE,
        'record("search", args={"query": "tea"}, result="3 pages")',
        subject="tool",
        needs_owner=True,
    )
    def record(
        self,
        tool: str,
        scope: Scope | None = None,
        *,
        args: Mapping[str, Any] | None = None,
        result: str = "",
        error: str | None = None,
        duration_ms: float | None = None,
        sensitive: bool = False,
    ) -> ToolCall:
        """Record a call that an agent made to a tool; with ``error``, one that failed.

        Secrets in arguments, result and error are masked, and each is kept up to 500 characters. Of
        a sensitive call only the names of its arguments are kept.

        Raises:
            OwnerMissing: the scope names no owner.
            InvalidInput: an argument is wrong.
        """
        outcome = CallOutcome(
            args=NO_METADATA if args is None else args,
            result=result,
            error=error,
            duration_ms=duration_ms,
            sensitive=sensitive,
        )
        return record_tool(self.store, self.clock, self._owned(scope), tool, outcome)

    @verb(Right.READ, 'list("search", failed=True)', returns=Returns.PAGE, idempotent=True)
    def list(
        self,
        tool: str | None = None,
        scope: Scope | None = None,
        *,
        failed: bool = False,
        limit: int = 50,
    ) -> Sequence[ToolCall]:
        """Return the calls of a tool, or of all tools, latest first; with ``failed`` only those
        that failed.

        Raises:
            InvalidInput: the limit is out of range.
        """
        return listings.tool_calls(self.store, self._in(scope), tool, limit, failed=failed)

    @verb(Right.READ, "summary()", returns=Returns.PAGE, idempotent=True)
    def summary(self, scope: Scope | None = None) -> Sequence[ToolSummary]:
        """Return for each tool how often it was called, how often with success, how long it takes,
        and its last error.
        """
        return listings.tools(self.store, self._in(scope))

    @verb(Right.WRITE, "analyse(preview=True)", long=True, asks_model=True)
    def analyse(self, scope: Scope | None = None, *, preview: bool = False) -> Analysis:
        """Let a model look at how tools were used in the last seven days, and propose facts for the
        review queue.

        The model sees counts only: of messages, tools, sequences, programs and kinds of errors. It
        sees nothing that was said, asked for or found. With ``preview`` no model is asked, and the
        result shows what it would see. The setting ``analyse`` makes it happen by itself.

        Raises:
            Forbidden: the memory lasts for a session or a project only, and usage spans all of
                them.
            ModelMissing: no language model is configured.
            ModelError: the model failed.
        """
        level = self._engine.level
        if level is not Level.PERSISTENT:
            raise Forbidden(
                f"a memory of level {level.value} keeps nothing that all of a user's sessions"
                " show together"
            )
        return self._engine.analyst.analyse(self._in(scope), preview=preview)

"""Every error Omoide raises on purpose.

::

    OmoideError
    ├── InvalidInput            the call is wrong; the message says what to change
    │   ├── TooLong             over a stated limit
    │   ├── InvalidScope        a tenant, agent, user, session or context that cannot be one
    │   ├── InvalidTime         naive, unreadable or reversed times
    │   ├── UnknownName         a filter, setting, category or command nobody knows
    │   └── ImportRefused       a file to import that is hostile, unknown or unreadable
    ├── NotFound                no such record in the asker's scope
    ├── Forbidden               the scope or trust tier does not allow it
    │   └── SharedSession       user memory is off where several users talk
    ├── Conflict                somebody was first, or the record is in another state
    │   └── CannotUndo          the change cannot be reverted, and why
    ├── StoreError              the database cannot do its part
    │   ├── StoreRefused        damaged, foreign, newer, empty or unreadable: left untouched
    │   │   ├── WrongPassphrase
    │   │   └── NewerStore
    │   ├── StoreBusy           locked longer than the wait allows
    │   ├── StoreFull           no space; reads and deletes go on
    │   └── StoreClosed
    ├── ModelError              an embedder, reranker or language model failed
    │   └── BadVector           NaN, zero, or another dimension than measured
    └── MissingExtra            an optional part is not installed; says what to install

``http_status`` and ``exit_code`` belong to the class. Fields are the args, so errors pickle.
"""

from __future__ import annotations


class OmoideError(Exception):
    """Root of all errors raised on purpose."""

    http_status = 500
    exit_code = 1


class InvalidInput(OmoideError, ValueError):
    """The call is wrong; the message says what to change."""

    http_status = 422
    exit_code = 2

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(field, problem)
        self.field, self.problem = field, problem

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}"


class TooLong(InvalidInput):
    """A value is over its limit."""

    def __init__(self, field: str, length: int, limit: int) -> None:
        OmoideError.__init__(self, field, length, limit)
        self.field, self.length, self.limit = field, length, limit

    def __str__(self) -> str:
        return f"{self.field}: {self.length} characters, the limit is {self.limit}"


class InvalidScope(InvalidInput):
    """A tenant, agent, user, session or context that cannot be one."""


class InvalidTime(InvalidInput):
    """A time that is naive, unreadable or out of order."""


class UnknownName(InvalidInput):
    """A filter, setting, category or command nobody knows."""

    def __init__(self, field: str, name: str, known: tuple[str, ...] = ()) -> None:
        OmoideError.__init__(self, field, name, known)
        self.field, self.name, self.known = field, name, known

    def __str__(self) -> str:
        choices = f"; known: {', '.join(self.known)}" if self.known else ""
        return f"{self.field}: unknown {self.name!r}{choices}"


class ImportRefused(InvalidInput):
    """A file to import that is hostile, of unknown form or unreadable."""


class NotFound(OmoideError):
    """No such record in the asker's scope."""

    http_status = 404
    exit_code = 3

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(kind, id)
        self.kind, self.id = kind, id

    def __str__(self) -> str:
        return f"no {self.kind} {self.id!r} in this scope"


class Forbidden(OmoideError):
    """The scope or trust tier does not allow this."""

    http_status = 403
    exit_code = 5


class SharedSession(Forbidden):
    """User memory is off in a session that more than one user takes part in."""

    def __init__(self, session: str, users: int) -> None:
        super().__init__(session, users)
        self.session, self.users = session, users

    def __str__(self) -> str:
        return f"session {self.session!r} has {self.users} users: user memory is off in it; leave the user out, or the session"


class Conflict(OmoideError):
    """Somebody was first, or the record is in a state that does not allow this."""

    http_status = 409
    exit_code = 4


class CannotUndo(Conflict):
    """The change cannot be reverted; the message says why."""


class StoreError(OmoideError):
    """The database cannot do its part."""

    http_status = 503
    exit_code = 6


class StoreRefused(StoreError):
    """The file is damaged, foreign, empty or unreadable; it was left untouched."""

    def __init__(self, path: str, problem: str, remedy: str) -> None:
        super().__init__(path, problem, remedy)
        self.path, self.problem, self.remedy = path, problem, remedy

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}; {self.remedy}"


class WrongPassphrase(StoreRefused):
    """The file is encrypted with another passphrase, or is not a store at all."""


class NewerStore(StoreRefused):
    """The file was written by a newer Omoide; this one leaves it alone."""


class StoreBusy(StoreError):
    """Locked by others for longer than the wait allows."""


class StoreFull(StoreError):
    """No space left; reads, deletes and export go on."""

    http_status = 507


class StoreClosed(StoreError):
    """The store was closed."""


class ModelError(OmoideError, RuntimeError):
    """An embedder, reranker or language model failed."""

    http_status = 502
    exit_code = 7


class BadVector(ModelError):
    """An embedder gave NaN, zero, or another dimension than it was measured with; nothing was stored."""


class MissingExtra(OmoideError):
    """An optional part is not installed."""

    http_status = 501
    exit_code = 8

    def __init__(self, part: str, extra: str) -> None:
        super().__init__(part, extra)
        self.part, self.extra = part, extra

    def __str__(self) -> str:
        return f"{self.part} needs an optional part: pip install 'omoide[{self.extra}]'"

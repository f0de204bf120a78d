"""Every error Omoide raises on purpose.

::

    OmoideError
    ├── InvalidInput            the call is wrong; the message says what to change
    │   ├── TooLong             over a stated limit
    │   ├── InvalidScope        a tenant, agent, user, session or context that cannot be one
    │   │   ├── ScopeConflict       the memory is bound to another one
    │   │   └── OwnerMissing        nobody is named whose the new record is
    │   ├── InvalidTime         naive, unreadable or reversed times
    │   ├── AmbiguousId         several records have an id that begins like this
    │   ├── UnknownName         a filter, setting, category or command nobody knows
    │   └── ImportRefused       a file to import that is hostile, unknown or unreadable
    ├── NotFound                no such record in the asker's scope
    ├── Forbidden               the scope or trust tier does not allow it
    │   ├── SharedSession       user memory is off where several users talk
    │   └── MemoryOff           memory is switched off
    ├── Conflict                somebody was first, or the record is in another state
    │   ├── CannotUndo          the change cannot be reverted, and why
    │   └── LookAgain           what is approved is not what was shown, or no longer
    ├── TenantMismatch          a transaction of one tenant names another: a fault of the program
    ├── StoreError              the database cannot do its part
    │   ├── StoreRefused        damaged, foreign, newer, empty or unreadable: left untouched
    │   │   ├── WrongPassphrase
    │   │   └── NewerStore
    │   ├── StoreBusy           locked longer than the wait allows
    │   │   └── Deadlock        two writers waited for each other; this one was undone
    │   ├── StoreFull           no space; reads and deletes go on
    │   ├── DamagedRecord       a record whose text is not the one that was stored
    │   └── StoreClosed
    ├── ModelError              an embedder, reranker or language model failed
    │   ├── BadVector           NaN, zero, or another dimension than measured
    │   ├── BadAnswer           a language model's answer cannot be read
    │   ├── ModelMissing        none is configured, or its server does not have it
    │   ├── ModelRefused        a language model does not want to answer
    │   ├── ModelUnreachable    its server does not answer
    │   │   └── ModelTimeout    no answer in the time that it is waited for
    │   └── OutOfBudget         a limit of yours keeps language models from being called
    │       ├── SpendLimit      what may be spent on them today is spent
    │       ├── TokenLimit      so are the tokens that may be used today
    │       └── PriceUnknown    money is limited, and what the model costs is not known
    └── MissingExtra            an optional part is not installed; says what to install

``http_status`` and ``exit_code`` belong to the class. Fields are the args, so errors pickle. Where
memory cannot work at all, ``why_off`` tells a program which of a few reasons it is.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, fields
from datetime import datetime
from difflib import get_close_matches
from enum import StrEnum
from urllib.parse import unquote, urlsplit


class Off(StrEnum):
    """Why memory cannot work: each has a remedy of its own."""

    DISABLED = "disabled"
    MODEL_MISSING = "model_missing"
    SERVICE_UNREACHABLE = "service_unreachable"


SWITCH_ON = "set OMOIDE_LEVEL, or level in the settings file, to something other than none"
SHOWN = 1_000  # characters of an error's message; a value that was given may be any length
_TAIL = 300  # of these, from its end, where it says what to do


def shortened(text: str) -> str:
    """A message of at most some SHOWN characters: of a longer one the middle is left out."""
    if len(text) <= SHOWN:
        return text
    return f"{text[: SHOWN - _TAIL]} … ({len(text) - SHOWN} characters left out) … {text[-_TAIL:]}"


class OmoideError(Exception):
    """Root of all errors raised on purpose. As text its message, shortened."""

    http_status = 500
    exit_code = 1

    def __post_init__(self) -> None:
        self.args = tuple(getattr(self, one.name) for one in fields(self))  # type: ignore[arg-type]

    def _said(self) -> str:
        """What is wrong and what to do, with the values whole."""
        return super().__str__()

    def __str__(self) -> str:
        return shortened(self._said())


@dataclass(eq=False, repr=False)
class InvalidInput(OmoideError, ValueError):
    """The call is wrong; the message says what to change."""

    http_status = 422
    exit_code = 2

    field: str
    problem: str

    def _said(self) -> str:
        return f"{self.field}: {self.problem}"


class TooLong(InvalidInput):
    """A value is over its limit."""

    def __init__(self, field: str, length: int, limit: int) -> None:
        OmoideError.__init__(self, field, length, limit)
        self.field, self.length, self.limit = field, length, limit

    def _said(self) -> str:
        return f"{self.field}: {self.length} characters, the limit is {self.limit}"


class AmbiguousId(InvalidInput):
    """Several records have an id that begins like this; some of them are named."""

    def __init__(self, begin: str, ids: tuple[str, ...]) -> None:
        OmoideError.__init__(self, begin, ids)
        self.field, self.begin, self.ids = "id", begin, ids

    def _said(self) -> str:
        return (
            f"id: {self.begin!r} begins several ids, such as {', '.join(self.ids)}; give more of"
            " its characters"
        )


class InvalidScope(InvalidInput):
    """A tenant, agent, user, session or context that cannot be one."""


class ScopeConflict(InvalidScope):
    """A scope names another tenant, agent, user, session or context than the memory is bound to."""

    def __init__(self, field: str, bound: str, given: str) -> None:
        OmoideError.__init__(self, field, bound, given)
        self.field, self.bound, self.given = field, bound, given

    def _said(self) -> str:
        return (
            f"{self.field}: this memory is bound to {self.bound!r}, so not to {self.given!r};"
            f" open a memory without {self.field}, and bind that with at({self.field}=...)"
        )


class OwnerMissing(InvalidScope):
    """A write names no owner: a user, an agent, a session with participants, or ``shared``."""

    def __init__(self) -> None:
        OmoideError.__init__(self)
        self.field = "owner"

    def _said(self) -> str:
        return (
            "owner: name whose memory it is: a user, with at(user=...); an agent alone, with"
            " at(agent=...); a session that users take part in; or everybody, with at(shared=True)"
        )


class InvalidTime(InvalidInput):
    """A time that is naive, unreadable or out of order."""


class UnknownName(InvalidInput):
    """A filter, setting, category or command nobody knows."""

    def __init__(self, field: str, name: str, known: tuple[str, ...] = ()) -> None:
        OmoideError.__init__(self, field, name, known)
        self.field, self.name, self.known = field, name, known
        folded = {str(one).casefold(): str(one) for one in known}
        near = [*folded] if len(known) == 1 else get_close_matches(name.casefold(), folded, n=1)
        meant = f"; did you mean {folded[near[0]]!r}?" if near else ""
        end = "" if meant else ";"
        choices = f"{end} known: {', '.join(known)}" if len(known) > 1 else ""
        self.problem = f"unknown {name!r}{meant}{choices}"


class ImportRefused(InvalidInput):
    """A file to import that is hostile, of unknown form or unreadable."""


@dataclass(eq=False, repr=False)
class NotFound(OmoideError):
    """No such record in the asker's scope, or wherever else it was looked for."""

    http_status = 404
    exit_code = 3

    kind: str
    id: str
    where: str = "in this scope"

    def _said(self) -> str:
        return f"no {self.kind} {self.id!r} {self.where}"


class Forbidden(OmoideError):
    """The scope or trust tier does not allow this."""

    http_status = 403
    exit_code = 5


@dataclass(eq=False, repr=False)
class SharedSession(Forbidden):
    """User memory is off in a session that more than one user takes part in."""

    session: str
    users: int

    def _said(self) -> str:
        return (
            f"session {self.session!r} has {self.users} users: user memory is off in it; leave the"
            " user out, or the session"
        )


@dataclass(eq=False, repr=False)
class MemoryOff(Forbidden):
    """Memory is switched off, by the setting level or by an agent's own switch; nothing was opened,
    read or stored.
    """

    remedy: str = SWITCH_ON

    def _said(self) -> str:
        return f"memory is switched off; {self.remedy}"


class Conflict(OmoideError):
    """Somebody was first, or the record is in a state that does not allow this."""

    http_status = 409
    exit_code = 4


@dataclass(eq=False, repr=False)
class ForgottenInArchive(Conflict):
    """An archive holds records that were forgotten here; nothing was loaded."""

    SHOWN = 5  # records that the message names

    path: str
    records: tuple[str, ...]

    def _said(self) -> str:
        more = len(self.records) - self.SHOWN
        named = ", ".join(self.records[: self.SHOWN]) + (f" and {more} more" if more > 0 else "")
        count = len(self.records)
        held, them = (
            (f"{count} records that were", "them") if count > 1 else ("a record that was", "it")
        )
        return (
            f"{self.path} holds {held} forgotten here: {named}; to bring {them} back, load it with"
            " restore_forgotten=True, or omoide admin load --restore-forgotten"
        )


class CannotUndo(Conflict):
    """The change cannot be reverted; the message says why."""


@dataclass(eq=False, repr=False)
class LookAgain(Conflict):
    """A proposal changed, was shown too long ago, or no longer waits: nothing was done."""

    proposal: str
    why: str

    def _said(self) -> str:
        return f"proposal {self.proposal!r}: {self.why}; look again with review"


@dataclass(eq=False, repr=False)
class TenantMismatch(OmoideError):
    """A transaction of one tenant was about to touch rows of another, or of all: a mistake in the
    program. Nothing was read or changed.
    """

    query: str
    tenant: str
    named: str | None

    def _said(self) -> str:
        about = "rows of all tenants" if self.named is None else f"tenant {self.named!r}"
        return f"{self.query} is about {about}, in a transaction of tenant {self.tenant!r}"


class StoreError(OmoideError):
    """The database cannot do its part."""

    http_status = 503
    exit_code = 6


@dataclass(eq=False, repr=False)
class StoreRefused(StoreError):
    """The file is damaged, foreign, empty or unreadable; it was left untouched."""

    path: str
    problem: str
    remedy: str

    def _said(self) -> str:
        return f"{self.path}: {self.problem}; {self.remedy}"


class WrongPassphrase(StoreRefused):
    """The file is encrypted with another passphrase, or is not a store at all."""


class NewerStore(StoreRefused):
    """The file was written by a newer Omoide; this one leaves it alone."""


class StoreBusy(StoreError):
    """Locked by others for longer than the wait allows."""


class Deadlock(StoreBusy):
    """Two writers waited for each other, and all of this one was undone; try again at once."""


class StoreFull(StoreError):
    """No space left; reads, deletes and export go on."""

    http_status = 507


@dataclass(eq=False, repr=False)
class DamagedRecord(StoreError):
    """A record's text is not the one that was stored; reads of many records leave it out."""

    kind: str
    id: str

    def _said(self) -> str:
        what = f"{self.kind} {self.id!r} is damaged: its text is not the one that was stored"
        return f"{what}; omoide doctor says what to do"


class StoreClosed(StoreError):
    """The store was closed."""


class ModelError(OmoideError, RuntimeError):
    """An embedder, reranker or language model failed."""

    http_status = 502
    exit_code = 7


class BadVector(ModelError):
    """An embedder gave NaN, zero, or another dimension than before; nothing was stored."""


class ModelMissing(ModelError):
    """No language model is configured, or the server does not have the model that was asked for."""


@dataclass(eq=False, repr=False)
class ModelUnreachable(ModelError):
    """The model's server does not answer, or keeps failing. retry_after_s: how long it asked to be
    left alone, if it said.
    """

    problem: str = ""
    retry_after_s: float | None = None

    def _said(self) -> str:
        return self.problem


class ModelTimeout(ModelUnreachable):
    """A model gave no answer within llm_timeout_s, embedder_timeout_s or reranker_timeout_s."""


class ModelRefused(ModelError):
    """A language model, or what stands before it, does not want to answer this; asking again
    changes nothing.
    """


class OutOfBudget(ModelError):
    """A limit of the user's own lets no language model be called, until a time. Nobody's fault:
    work waits.
    """

    http_status = 503
    until: datetime


@dataclass(eq=False, repr=False)
class SpendLimit(OutOfBudget):
    """What may be spent on language models in a day is spent; until is when the next day begins."""

    spent_usd: float
    limit_usd: float
    until: datetime

    def _said(self) -> str:
        spent = f"${self.spent_usd:.2f} of ${self.limit_usd:.2f}"
        return (
            f"today's limit for language models is spent, {spent}; more from"
            f" {self.until:%Y-%m-%d %H:%M} UTC"
        )


@dataclass(eq=False, repr=False)
class TokenLimit(OutOfBudget):
    """The tokens are used that language models may read and write in a day; until is when the next
    day begins.
    """

    used: int
    limit: int
    until: datetime

    def _said(self) -> str:
        return (
            f"today's tokens for language models are used, {self.used} of {self.limit}; more from"
            f" {self.until:%Y-%m-%d %H:%M} UTC"
        )


@dataclass(eq=False, repr=False)
class PriceUnknown(OutOfBudget):
    """What may be spent is limited, and nobody can tell what this model costs; until is when that
    is looked at again.
    """

    model: str
    until: datetime

    def _said(self) -> str:
        return (
            f"no price is known for {self.model}, and spend_limit is set: add"
            f" {self.model}=READ/WRITTEN to the setting prices, dollars for a million tokens (0/0:"
            " it is free), or set token_limit in place of spend_limit"
        )


@dataclass(eq=False, repr=False)
class BadAnswer(ModelError):
    """A model's answer cannot be read. raw is what it said; no message repeats it."""

    model: str
    purpose: str
    why: str
    raw: str = ""

    def _said(self) -> str:
        return f"{self.model} was asked to {self.purpose}: {self.why}"

    def __repr__(self) -> str:
        return f"BadAnswer({self.model!r}, {self.purpose!r}, {self.why!r})"


@dataclass(eq=False, repr=False)
class MissingExtra(OmoideError):
    """An optional part is not installed."""

    http_status = 501
    exit_code = 8

    part: str
    extra: str

    def _said(self) -> str:
        return f"{self.part} needs an optional part: pip install {_with_extra(self.extra)}"


def _with_extra(extra: str) -> str:
    """What pip is told to install an extra: the checkout, archive or repository that Omoide came
    from, else its name.
    """
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        came = json.loads(distribution("omoide").read_text("direct_url.json") or "{}")  # PEP 610
    except (PackageNotFoundError, OSError, ValueError):
        came = {}
    url = came.get("url", "")
    if came.get("dir_info", {}).get("editable"):
        return f"-e {shlex.quote(f'{unquote(urlsplit(url).path)}[{extra}]')}"
    return f"'omoide[{extra}]{' @ ' if url else ''}{'git+' if 'vcs_info' in came else ''}{url}'"

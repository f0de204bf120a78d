"""Every setting, its default and its variable. The only reader of the environment.

Settings come from, strongest first: arguments, environment variables (``OMOIDE_`` and the name in
capitals), the file ``config.toml`` in the home folder, defaults. Secrets come from the environment
alone: a file that holds one is refused. Unknown names are refused too, so that no setting quietly
does nothing.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args

from omoide.nouns.clock import zone_named
from omoide.nouns.errors import InvalidInput, UnknownName
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import one_of
from omoide.nouns.reflection import DEFAULT_DIGESTS, read_digests
from omoide.nouns.scope import GLOBAL, Scope
from omoide.settings.levels import Level
from omoide.settings.prices import read_prices
from omoide.settings.retention import ARCHIVE_FOR, CALLS_FOR, UNCONFIRMED_FOR, read_retention
from omoide.settings.schedules import read_schedule
from omoide.settings.triggers import DEFAULT_TRIGGERS, read_catch_up, read_triggers
from omoide.settings.whole_file import home_file
from omoide.text.secrets.fields import check_no_key

Durability = Literal["full", "relaxed"]
Strategy = Literal["two-calls", "one-call"]
LearnFrom = Literal["people", "all"]
Review = Literal["auto", "untrusted", "all"]
Memories = Literal["learn", "hand", "off"]
ChatMemory = Literal["ask", "yes", "no"]
CHOICES = {
    "durability": Durability,
    "strategy": Strategy,
    "learn_from": LearnFrom,
    "review": Review,
    "chat_memory": ChatMemory,
} | dict.fromkeys(("user_memory", "agent_memory"), Memories)
SECRETS = ("passphrase",)
MAY_HOLD_KEYS = (*SECRETS, "store")  # an address with a password in it; shown without
NOT_IN_FILE = (*SECRETS, "home")  # the file lies in the home folder
# no model answers in no time
NEVER_ZERO = ("llm_timeout_s", "embedder_timeout_s", "reranker_timeout_s")
LARGE = ("token_limit", "items_most")
PREFIX = "OMOIDE_"


@frozen_record
class Config:
    """The settings of one Omoide."""

    home: Path = Path()  # folder of the default store and the settings file
    store: str = ""  # a file, or postgresql://…; empty: memory.db in the home folder
    tenant: str = "default"
    user: str = ""  # whose memory it is when a call names nobody
    agent: str = ""
    context: str = GLOBAL
    embedder: str = "static"  # static, minilm, openai:MODEL, fastembed:MODEL, none
    embedder_timeout_s: float = (
        120.0  # seconds until a call of an embedder that is no part of this process is given up on
    )
    # of the presets best and thorough: minilm (extra: local), llm (the language model), maxsim,
    # none; empty: minilm, loaded when one of these presets is first asked for
    reranker: str = ""
    # seconds until a call of a reranker is given up on; the hits are then those without it
    reranker_timeout_s: float = 30.0
    durability: Durability = "full"  # relaxed: the last commits may be lost when the power fails
    allow_network: bool = (
        False  # open a file on a network filesystem; only where a single machine ever uses it
    )
    # the language model that learns from talk, such as openai:MODEL or ollama:MODEL; empty: none
    llm: str = ""
    # for what is worth a better one: digests, distilling, profiles, lessons, usage; empty: llm
    llm_slow: str = ""
    # the users whose digests, profiles and so on llm_slow makes, such as ana,ben; the others have
    # llm; empty: all
    llm_slow_for: str = ""
    llm_for: str = (
        ""  # models for single purposes, such as condense=anthropic:MODEL,decide=openai:MODEL
    )
    # the model that judges whether a talk says what is to be learned from it, and records say what
    # a profile, digest or reflection does; empty: llm; off: none
    judge: str = ""
    # raise ModelError, in place of a warning, where a memory is opened whose language model has no
    # key, package or server
    strict: bool = False
    llm_timeout_s: float = 120.0  # seconds until a call of a language model is given up on
    # US dollars a day for language models; one whose price is not known is not called then; 0: no
    # limit
    spend_limit: float = 0.0
    token_limit: int = 0  # tokens a day that language models may read and write; 0: no limit
    # US dollars for a million tokens, read/written, where no list knows them:
    # openai:MODEL=0.25/2,callable:mine=0/0
    prices: str = ""
    # when a session is learned from: turn, idle=30m, messages=45, tokens=1500, or hand
    capture: str = DEFAULT_TRIGGERS
    # how old sessions may be that are learned from though nothing said so when they were logged;
    # hand: none
    catch_up: str = "2d"
    # one-call: one question with what is known in view; two-calls: extract, then decide
    strategy: Strategy = "two-calls"
    learn_from: LearnFrom = (
        "people"  # all: also from what assistants, tools and documents say, under their own name
    )
    # what waits for a person: auto (what failed a check), untrusted (also what tools say), all
    review: Review = "auto"
    steering: str = ""  # your own words on what is worth remembering
    persona: str = ""  # who the agent is, so that a model can tell what matters to it
    # of users: learn (from talk), hand (recall what was told by a call), off (no recall either)
    user_memory: Memories = "learn"
    agent_memory: Memories = (
        "hand"  # of the agent, what concerns everybody it talks to: learn, hand or off
    )
    chat_memory: ChatMemory = "ask"  # let omoide chat log and store: ask (each user, once), yes, no
    # recall what is everybody's in the tenant; off: an agent sees its own and its user's alone
    shared_memory: bool = True
    # form reflections from talk too: one more question to the model for each session
    reflect: bool = False
    # agent=10/1200: ten reflections are condensed, into 1200 words at most; user, session likewise
    digests: str = DEFAULT_DIGESTS
    profile: bool = True  # let the model make a profile of a user, where one is asked for
    profile_limit: int = 20  # lines of a profile
    # when a round of upkeep is done: minute, hour, day, month, weekday, in UTC; or hourly, daily,
    # weekly, never
    upkeep: str = "30 3 * * *"
    # when a model looks at how tools were used, such as 0 4 * * *, in UTC, and proposes facts;
    # hand: when asked
    analyse: str = "hand"
    # let a round of upkeep make recipes of what tools did with success again and again; needs a
    # language model
    recipes: bool = False
    # such as 90d: after that long at rest a session that was learned from and summed up is pruned;
    # empty: never
    prune_after: str = ""
    # open items of one user, or of one agent, that upkeep keeps: it prunes those least sure beyond;
    # 0: no limit
    items_most: int = 0
    skills: str = ""  # a folder in which new procedures are written as SKILL.md files; empty: none
    archive_for: str = ARCHIVE_FOR  # how long undo can bring back what was pruned
    # how long an item that nobody confirms stays open; upkeep closes it then
    unconfirmed_for: str = UNCONFIRMED_FOR
    # how long it is kept what language models were called for, and what that took; 31d at least
    calls_for: str = CALLS_FOR
    # how long things last: none (memory is off), session, project, persistent
    level: Level = Level.PERSISTENT
    mask_mails: bool = (
        False  # mask mail addresses as secrets are: in all that comes in and goes out
    )
    # the user's time zone, such as Europe/Berlin: in it days without one are meant, and times are
    # shown; empty: the machine's
    zone: str = ""
    # mask codes of doors, garages and alarms for good; else they are kept, and hidden where a text
    # is shown
    mask_place_codes: bool = False
    background: bool = True  # make vectors in a thread of this process
    passphrase: str = ""  # of an encrypted file; only from the environment

    def __repr__(self) -> str:
        shown = (
            f"{f.name}={getattr(self, f.name)!r}"
            for f in fields(self)
            if f.name not in SECRETS and f.name != "store"
        )
        return f"Config({', '.join(shown)})"

    @property
    def scope(self) -> Scope:
        """Where calls act that name no scope."""
        return Scope(
            tenant=self.tenant,
            user=self.user or None,
            agent=self.agent or None,
            context=self.context,
        )

    @property
    def store_url(self) -> str:
        """The store, with the default filled in."""
        return self.store or str(self.home / "memory.db")


def home_folder(environment: Mapping[str, str] | None = None) -> Path:
    """``OMOIDE_HOME``, or the platform's folder for an application's data."""
    environment = os.environ if environment is None else environment
    if environment.get("OMOIDE_HOME"):
        return Path(environment["OMOIDE_HOME"]).expanduser()
    from platformdirs import user_data_path

    return user_data_path("omoide", appauthor=False)


def load_config(environment: Mapping[str, str] | None = None, **given: Any) -> Config:
    """The settings from arguments, environment and file. Arguments that are None count as not
    given.

    Raises:
        UnknownName: a setting nobody knows.
        InvalidInput: a value of the wrong kind or with a key in it, an unreadable file, or a secret
            in the file.
    """
    environment = os.environ if environment is None else environment
    home = Path(given["home"]) if given.get("home") else home_folder(environment)
    told = ((field.name, environment.get(PREFIX + field.name.upper())) for field in fields(Config))
    merged = {
        **read_file(home / "config.toml"),
        **{name: value for name, value in told if value},
        **{name: value for name, value in given.items() if value is not None},
        "home": home,
    }
    values = {}
    for name, value in merged.items():
        try:
            known_setting(name)
            values[name] = _value(name, value)
        except InvalidInput as error:
            if given.get(name) is None:
                error.add_note(_origin(name, environment, home / "config.toml"))
            raise
    return replace(Config(), **values)


def _origin(name: str, environment: Mapping[str, str], file: Path) -> str:
    """Where a setting that no argument gave stands, in words."""
    variable = PREFIX + name.upper()
    return f"set by the variable {variable}" if environment.get(variable) else f"set in {file}"


def read_file(path: Path) -> dict[str, Any]:
    """The settings in a file; none when there is no file.

    Raises:
        InvalidInput: not TOML, unreadable, or with a secret in it.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput("config", f"{path} cannot be read: {error}") from None
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput("config", f"{path} is not TOML: {error}") from None
    for name in NOT_IN_FILE:
        if name in settings:
            raise InvalidInput(
                "config",
                f"{path} holds {name!r}, which belongs in the environment, as"
                f" {PREFIX}{name.upper()}",
            )
    return settings


def known_setting(name: str) -> None:
    """That there is a setting of that name.

    Raises:
        UnknownName: there is none; known are those that it may have been meant as.
    """
    known = [f.name for f in fields(Config)]
    if name not in known:
        raise UnknownName(
            "setting", name, tuple(get_close_matches(name, known, n=1)) or tuple(sorted(known))
        )


def write_setting(path: Path, name: str, value: str | None) -> None:
    """Set a setting in the file, or with None take it out. Everything else in the file stays as it
    is.

    The file is made if there is none, readable by its owner only.

    Raises:
        UnknownName: a setting nobody knows.
        InvalidInput: a value of the wrong kind, a secret, the home folder itself, or a file that
            cannot be read.
    """
    known_setting(name)
    if name in NOT_IN_FILE:
        raise InvalidInput(name, f"is not read from the file; set {PREFIX}{name.upper()}")
    wanted = read_file(path)
    wanted.pop(name, None)
    if value is not None:
        wanted[name] = _value(name, value)
    text = _with_line(path, name, wanted.get(name))
    if _settings_in(text) != wanted:
        raise InvalidInput(
            name, f"cannot be set in {path}, which is written in a way of its own; edit it by hand"
        )
    replace(Config(), **wanted).scope  # noqa: B018 - raises where a name cannot be one
    with home_file(path) as out:
        out.write(text)


def _with_line(path: Path, name: str, value: Any) -> str:
    """The text of a file with a setting in a line at its end; with None without it."""
    lines = path.read_text("utf-8").splitlines(keepends=True) if path.exists() else []
    kept = "".join(line for line in lines if line.partition("=")[0].strip() != name)
    line = "" if value is None else f"{name} = {json.dumps(value, ensure_ascii=False)}\n"
    return kept + ("\n" if kept and line and not kept.endswith("\n") else "") + line


def _settings_in(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


# raise where that cannot be read
_READ: Mapping[str, Callable[[str], object]] = {
    "capture": read_triggers,
    "catch_up": read_catch_up,
    "digests": read_digests,
    "prune_after": read_retention,
    "archive_for": lambda value: read_retention("", value),
    "calls_for": lambda value: read_retention("", calls_for=value),
    "unconfirmed_for": lambda value: read_retention("", unconfirmed_for=value),
    "prices": read_prices,
    "upkeep": lambda value: read_schedule("upkeep", value),
    "analyse": lambda value: read_schedule("analyse", value),
    "zone": zone_named,
}


def _value(name: str, value: Any) -> Any:
    default = getattr(Config(), name)
    if name not in MAY_HOLD_KEYS:
        check_no_key(value, name)
    if name in CHOICES or isinstance(default, Level):
        if value not in values_of(name):
            raise InvalidInput(name, f"must be {one_of(values_of(name))}; got {value!r}")
        return Level(value) if isinstance(default, Level) else value
    if name in _READ:
        _READ[name](str(value))
    if type(default) in _OF_TYPE:
        return _OF_TYPE[type(default)](name, value)
    if isinstance(default, Path):
        return Path(value).expanduser()
    if not isinstance(value, str):
        raise InvalidInput(name, f"must be text; got {value!r}")
    return value


def values_of(name: str) -> tuple[str, ...]:
    """The values that a setting may have; none where they cannot be listed, or there is no such
    setting.
    """
    if name in CHOICES:
        return get_args(CHOICES[name])
    default = getattr(Config(), name, None)
    if isinstance(default, Level):
        return tuple(Level)
    return ("true", "false") if isinstance(default, bool) else ()


def _number(name: str, value: Any) -> int:
    pattern, bounds = (
        (r"0|[1-9]\d{0,11}", "0 to 999,999,999,999")
        if name in LARGE
        else (r"[1-9]\d{0,5}", "1 to 999,999")
    )
    if isinstance(value, bool) or not re.fullmatch(pattern, str(value), re.ASCII):
        raise InvalidInput(name, f"must be a whole number from {bounds}; got {value!r}")
    return int(value)


def _amount(name: str, value: Any) -> float:
    try:
        amount = -1.0 if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        amount = -1.0
    if not 0 <= amount < 1_000_000 or (not amount and name in NEVER_ZERO):
        least = "above 0" if name in NEVER_ZERO else "from 0"
        raise InvalidInput(name, f"must be a number {least}, below 1,000,000; got {value!r}")
    return amount


def _flag(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {
        "1": True,
        "true": True,
        "yes": True,
        "on": True,
        "0": False,
        "false": False,
        "no": False,
        "off": False,
    }
    if str(value).lower() not in words:
        raise InvalidInput(name, f"must be true or false; got {value!r}")
    return words[str(value).lower()]


_OF_TYPE: Mapping[type, Callable[[str, Any], object]] = {bool: _flag, int: _number, float: _amount}

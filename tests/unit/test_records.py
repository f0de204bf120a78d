"""The nouns: scopes and ids, what a record looks like."""

from __future__ import annotations

import dataclasses
import pickle
from importlib import import_module
from pkgutil import iter_modules

import pytest

from omoide import nouns
from omoide.nouns import errors
from omoide.nouns.errors import InvalidScope, NotFound, OmoideError, TooLong
from omoide.nouns.ids import ID_LIMIT
from omoide.nouns.item import (
    CONFIDENCE,
    EXTRACTABLE,
    PRIVILEGED,
    REMEMBER_CONFIDENCE,
    Category,
    Source,
)
from omoide.nouns.scope import Scope
from omoide.nouns.session import Participant, Session


@pytest.mark.covers("CX-19")
@pytest.mark.parametrize("field", ["tenant", "agent", "user", "session", "context"])
@pytest.mark.parametrize("bad", ["", " ", "a ", "\nb", "a\0b", "\ud800", "x" * (ID_LIMIT + 1), 3])
def test_a_scope_takes_only_ids_that_can_be_one(field: str, bad: object) -> None:
    """Each part is checked; the error names it. An empty user is an error, never everybody."""
    with pytest.raises(InvalidScope, match=field):
        Scope(**{field: bad})  # type: ignore[arg-type]


def test_ids_are_compared_in_one_normal_form() -> None:
    """The same name, however its accents are written, is one user."""
    assert Scope(user="Zoe\u0308") == Scope(user="Zo\u00eb")


def test_ids_may_be_of_any_script() -> None:
    """Not only ASCII."""
    for name in ("安娜", "Анна", "آنا", "अन्ना", 'o\'neil, "x"; DROP TABLE', "👩‍💻", "a%_*"):
        assert Scope(user=name, shared=name is None).user == name


@pytest.mark.covers("GM-17", "GM-59")
def test_three_categories_are_privileged() -> None:
    """Extraction may write none of them."""
    assert {Category.SYSTEM, Category.PROFILE, Category.PERMISSION} == PRIVILEGED
    assert set(EXTRACTABLE) == set(Category) - PRIVILEGED


@pytest.mark.covers("GM-18", "CX-8")
def test_every_source_has_a_confidence() -> None:
    """As agreed; an explicit remember is 0.7."""
    assert set(CONFIDENCE) == set(Source)
    named = {source.value: value for source, value in CONFIDENCE.items()}
    assert named == {
        "tool": 0.5,
        "llm_extract": 0.4,
        "error_auto": 0.5,
        "user": 0.8,
        "discovery": 0.4,
        "consolidation": 0.5,
        "system": 1.0,
        "inferred": 0.7,
        "seed": 0.7,
        "import": 0.5,
    }
    assert REMEMBER_CONFIDENCE == 0.7


def test_records_are_frozen() -> None:
    """No record is edited after it was made; an error notes where it was raised."""
    modules = [import_module(f"omoide.nouns.{m.name}") for m in iter_modules(nouns.__path__)]
    records = [
        noun
        for module in modules
        for noun in vars(module).values()
        if isinstance(noun, type)
        and dataclasses.is_dataclass(noun)
        and not issubclass(noun, Exception)
    ]

    assert len(records) > 30
    assert all(noun.__dataclass_params__.frozen for noun in records)  # type: ignore[attr-defined]


@pytest.mark.covers("ED-6")
def test_a_sessions_users_are_those_with_an_id() -> None:
    """Assistants and strangers do not make a conversation one of several users."""
    session = Session(
        id="s",  # type: ignore[arg-type]
        scope=Scope(),
        participants=(
            Participant(name="Ana", user="ana"),
            Participant(name="Ana R.", user="ana"),
            Participant(name="bot"),
        ),
    )

    assert session.users == {"ana"}


def test_errors_survive_pickling() -> None:
    """With fields and message, as they must between processes."""
    for error in (
        TooLong("text", 9, 3),
        NotFound("item", "x"),
        errors.SharedSession("s", 2),
        errors.StoreRefused("p", "q", "r"),
    ):
        twin = pickle.loads(pickle.dumps(error))  # noqa: S301
        assert (type(twin), str(twin), twin.args) == (type(error), str(error), error.args)


@pytest.mark.covers("LS-60", "LS-37")
def test_no_error_hides_one_of_pythons_own() -> None:
    """Out of memory stays out of memory; a missing part says what to install."""
    import builtins

    ours = [
        n
        for n in dir(errors)
        if isinstance(getattr(errors, n), type) and issubclass(getattr(errors, n), OmoideError)
    ]

    assert len(ours) > 15
    assert not [name for name in ours if hasattr(builtins, name)]
    assert not issubclass(MemoryError, OmoideError)
    assert "[postgres]'" in str(errors.MissingExtra("Postgres", "postgres"))

"""What a declaration of a verb says, and that every verb says it."""

from __future__ import annotations

import ast

import pytest

from omoide.memory import Memory
from omoide.nouns.access import Right
from omoide.nouns.query import Query
from omoide.verbs.everyday import Everyday
from omoide.verbs.groups import GROUPS, VERBS
from omoide.wire.verbs import Verb

NAMED = {verb.full_name: verb for verb in VERBS}


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.full_name)
def test_every_verb_answers_what_a_door_asks(verb: Verb) -> None:
    """A summary, an example that calls it, errors that exist, parameters that are named."""
    call = ast.parse(verb.example, mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Name)
    assert call.func.id == verb.name
    assert verb.summary.endswith(".")
    assert "return" in verb.hints
    parameters = set(verb.hints)
    assert {*verb.spread, *filter(None, (verb.subject,))} <= parameters
    assert ("Raises:" in verb.docstring) == bool(verb.errors)
    assert {keyword.arg for keyword in call.keywords} <= {one.name for one in verb.options()}


def test_paths_are_resources() -> None:
    """A verb stands under its group, and under the record that it is about."""
    assert NAMED["review.approve"].path == "/v1/review/{id}/approve"
    assert NAMED["recall"].path == "/v1/recall"


def test_a_record_is_spread_into_options() -> None:
    """Of a query each field is an option, and values of a door make it again."""
    recall = NAMED["recall"]
    options = {option.name: option for option in recall.options()}

    assert options["preset"].record == "query"
    assert options["limit"].default == 10
    assert recall.arguments({"text": "tea", "limit": 3}) == {"query": Query(text="tea"), "limit": 3}


def test_attributes_that_may_be_edited_are_options() -> None:
    """Each by its own name and type."""
    options = {option.name for option in NAMED["items.edit"].options()}

    assert {"id", "tags", "due_at", "pinned"} <= options


def test_verbs_are_the_public_methods_of_groups() -> None:
    """None is public without a declaration."""
    known = {"open", "at", "acting", "for_principal", "close", "set_up_as"}
    members: dict[type, dict[str, object]] = {Memory: vars(Everyday) | vars(Memory)}
    for owner in (Memory, *GROUPS.values()):
        public = {
            name
            for name, member in members.get(owner, dict(vars(owner))).items()
            if callable(member) and not name.startswith("_")
        }
        declared = {verb.name for verb in VERBS if GROUPS.get(verb.group, Memory) is owner}
        assert public - known == declared - {"open"}


def test_only_reading_and_writing_are_offered_to_agents() -> None:
    """No tool of an agent's acts on the whole store."""
    assert not [verb for verb in VERBS if verb.mcp != "never" and verb.right is Right.ADMIN]

"""Codes of one's own places are kept, and hidden wherever they are shown unless asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Listing, Memory, Message, Query
from omoide.models.chat.base import Ask
from omoide.text.secrets import mask_secrets

Opens = Callable[..., Memory]
GARAGE = "the garage code is 5512"
HIDDEN = "the garage code is [secret: place-code]"


@pytest.fixture
def open_memory(tmp_path: Path) -> Opens:
    """Opens the same store with these settings."""

    def open_with(**settings: Any) -> Memory:
        return Memory.open(
            str(tmp_path / "m.db"),
            home=tmp_path,
            embedder="none",
            background=False,
            user="ana",
            **settings,
        )

    return open_with


def test_a_code_of_a_place_is_hidden_where_it_is_shown(open_memory: Opens) -> None:
    """What remember, get, recall and lists give has a mark in the code's place."""
    with open_memory() as memory:
        told = memory.remember(GARAGE)

        assert told.item.text == HIDDEN
        assert memory.get(told.id).text == HIDDEN
        assert memory.recall("garage code").hits[0].text == HIDDEN
        assert memory.items.list().items[0].text == HIDDEN


def test_a_code_of_a_place_is_shown_when_asked_for(open_memory: Opens) -> None:
    """Who asks for what is sensitive is told the code, of an item and of a turn."""
    with open_memory() as memory:
        memory.remember(GARAGE)
        session = memory.ingest([Message(text="the alarm code is 4471")]).session
        asked = Query(text="garage code", include_sensitive=True)
        alarm = Query(text="alarm code", include_sensitive=True)

        assert memory.recall(asked).hits[0].text == GARAGE
        assert memory.items.list(Listing(sensitive=None)).items[0].text == GARAGE
        assert memory.recall(alarm).hits[0].text == "the alarm code is 4471"
        assert memory.sessions.turns(session)[0].text == "the alarm code is [secret: place-code]"


def test_passwords_are_masked_beside_a_code_that_is_kept(open_memory: Opens) -> None:
    """Keys, tokens and passwords are stored nowhere, whatever is asked for."""
    with open_memory() as memory:
        memory.remember(f"{GARAGE}. The wifi password is hunter2x9.")
        found = memory.recall(Query(text="garage", include_sensitive=True)).hits[0].text

        assert found == f"{GARAGE}. The wifi password is [secret: wifi-password]."


def test_a_setting_masks_codes_of_places_for_good(open_memory: Opens) -> None:
    """With mask_place_codes they are stored nowhere, as a password is."""
    with open_memory(mask_place_codes=True) as memory:
        memory.remember(GARAGE)
        assert memory.recall(Query(text="garage", include_sensitive=True)).hits[0].text == HIDDEN
    with open_memory() as memory:
        assert memory.recall(Query(text="garage", include_sensitive=True)).hits[0].text == HIDDEN


def test_a_kept_code_is_no_leak(open_memory: Opens) -> None:
    """scan reports what may not be stored; a code that is kept may."""
    with open_memory() as memory:
        memory.remember(GARAGE)

        assert memory.admin.scan() == []


def test_no_model_is_told_a_kept_code(open_memory: Opens) -> None:
    """What is asked of a language model has a mark in the code's place."""
    asked: list[str] = []

    def model(ask: Ask) -> str:
        asked.append(ask.text)
        return '{"items": []}'

    with open_memory(llm=model) as memory:
        session = memory.ingest([Message(text=f"Please note that {GARAGE}, will you?")]).session
        memory.sessions.extract(session)

    assert asked
    assert not any("5512" in text for text in asked)


@pytest.mark.parametrize(
    "told",
    [
        "the shed code is {}",
        "the gym code: {}",
        "the storage unit code is {}",
        "Der Code für das Gartentor ist {}",
        "Der Code fürs Gartentor ist {}",
        "Der Code vom Fahrradkeller ist {}",
        "Der Schuppen-Code ist {}",
        "Le code de la cave est {}",
        "Код от калитки {}",
        "De code van de schuur is {}",
    ],
)
def test_a_place_is_known_before_the_code_in_a_compound_and_in_each_language(told: str) -> None:
    """Whatever place it is, and however it is said whose code it is."""
    assert mask_secrets(told.format(7741)).text == told.format("[secret: place-code]")


@pytest.mark.parametrize(
    "said",
    [
        "building code 4471 requires sprinklers",
        "the building code is 2018 edition",
        "Der Code für den Motor ist 7741",
        "product code 44712 for the shed",
    ],
)
def test_a_code_that_opens_nothing_is_shown(said: str) -> None:
    """A rule, an edition, a part: the place beside it does not make it a secret."""
    assert mask_secrets(said).text == said

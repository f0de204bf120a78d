"""Documentation that cannot lie: generated pages are in step, code runs, links lead somewhere."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import faces
from scripts.adapters import declared
from scripts.check_site import faults
from scripts.faces import FACES
from scripts.reference import PAGES, drift, other_section
from tests.source_tree import ROOT

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
# Said in halves, so that this file does not say them itself.
REGISTRIES = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "deb" + "ian.org/debian")
HOMES = re.compile(r"(?<![\w.~])/(?:root|home|work|opt|tmp|Users)/\w")
LEFTOVERS = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")


def written_pages() -> list[Path]:
    """Every page and every lock file that stands in the repository."""
    return sorted(
        [
            *ROOT.glob("*.md"),
            *(ROOT / "docs").rglob("*.md"),
            *(ROOT / "requirements").rglob("*.txt"),
        ]
    )


def prose(path: Path) -> str:
    """The page without its code blocks."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """What ``#…`` may name on a page: its headings in lower case, words joined by hyphens."""
    heads = re.findall(r"^#+ +(.+?) *$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def dead_links(path: Path) -> Iterator[str]:
    """Links of a page to files or headings that are not there. Other sites are not asked."""
    for target in LINK.findall(prose(path)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        aim = (path.parent / name).resolve() if name else path
        if not aim.exists() or (anchor and anchor not in anchors(aim)):
            yield target


def examples(path: Path) -> list[str]:
    """The Python code of a page, block by block."""
    return [
        body
        for language, body in FENCE.findall(path.read_text(encoding="utf-8"))
        if language == "python"
    ]


def is_program(path: Path) -> bool:
    """Whether a page's code runs as it stands. That of the cookbook is run by test_examples.py, and
    that of a framework's page where the framework is, by tests/adapters.
    """
    return bool(examples(path)) and path.parent.name != "cookbook" and not is_of_framework(path)


def is_of_framework(path: Path) -> bool:
    """Whether a page is a how-to of a framework with an adapter."""
    lock = ROOT / "requirements" / "adapters" / f"{path.stem}.txt"
    return path.parent.name == "howto" and lock.exists()


def named(path: Path) -> str:
    """A page as a test id."""
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FACES, ids=lambda path: path.name)
def test_faces_are_in_step_with_the_declarations(path: Path) -> None:
    """The names that the package offers, and the verbs for asyncio."""
    assert faces.drift(path) == "", "run make reference"


@pytest.mark.covers("LS-36")
@pytest.mark.parametrize("name", PAGES)
def test_reference_pages_are_in_step_with_the_code(name: str) -> None:
    """Signatures, defaults, commands, settings, errors, tables and queries in the docs are those of
    the code.
    """
    assert drift(name, PAGES[name]()) == "", "run make reference"


def test_the_python_reference_has_a_task_for_every_name() -> None:
    """Each verb of Memory and each public name stands under a task in scripts/data/tasks.toml."""
    assert not [block for block in other_section() if block.startswith("###")]


def test_the_python_reference_describes_each_name_once() -> None:
    """No two of its sections have one heading."""
    page = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
    headings = re.findall(r"^### (.+)$", page, re.MULTILINE)

    assert headings
    assert len(set(headings)) == len(headings)


@pytest.mark.parametrize(
    "path",
    [path for path in written_pages() if path.suffix == ".md" and is_program(path)],
    ids=named,
)
def test_code_on_pages_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page, run in order as one program in an empty folder, do what they assert."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    blocks = examples(path)

    assert blocks
    for number, block in enumerate(blocks, start=1):
        exec(compile(block, f"{named(path)}, block {number}", "exec"), names)  # noqa: S102 - our own pages are the code under test


@pytest.mark.parametrize("page", ["README.md", "docs/quickstart.md"])
def test_first_steps_may_be_taken_again(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The programs that a newcomer copies do the same where their store is there already."""
    monkeypatch.chdir(tmp_path)
    program = "\n".join(examples(ROOT / page))

    for _ in range(2):
        exec(compile(program, page, "exec"), {"__name__": "__main__"})  # noqa: S102 - our own pages are the code under test
    assert list(tmp_path.glob("*.db"))


def test_each_block_of_the_readme_runs_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who copies only one of them starts with an empty store."""
    blocks = examples(ROOT / "README.md")

    for number, block in enumerate(blocks, start=1):
        (folder := tmp_path / str(number)).mkdir()
        monkeypatch.chdir(folder)
        exec(compile(block, f"README.md, block {number}", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own pages are the code under test
    assert len(list(tmp_path.glob("*/*.db"))) == len(blocks)


@pytest.mark.parametrize(
    "path", [path for path in written_pages() if path.suffix == ".md"], ids=named
)
def test_links_lead_somewhere(path: Path) -> None:
    """Every link between pages has a file, and a heading where it names one."""
    assert not list(dead_links(path))


def test_every_page_can_be_reached_from_the_readme() -> None:
    """No page is an island."""
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in seen:
            seen.add(page)
            targets = (
                target.partition("#")[0]
                for target in LINK.findall(prose(page))
                if ":" not in target
            )
            waiting += [
                (page.parent / target).resolve() for target in targets if target.endswith(".md")
            ]

    assert len(seen) > 10
    assert not [named(path) for path in (ROOT / "docs").rglob("*.md") if path not in seen]


def in_navigation(entry: object) -> Iterator[str]:
    """The pages that an entry of the site's navigation names, on all levels."""
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict):
        yield from (page for below in entry.values() for page in in_navigation(below))
    elif isinstance(entry, list):
        yield from (page for below in entry for page in in_navigation(below))


def test_the_site_names_every_page() -> None:
    """Each page stands in the navigation of zensical.toml; records of decisions are listed by their
    index.
    """
    told = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    docs = ROOT / "docs"
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    records = {page for page in pages if re.match(r"decisions/\d", page)}

    assert sorted(in_navigation(told["project"]["nav"])) == sorted(pages - records)


@pytest.mark.parametrize("path", written_pages(), ids=named)
def test_pages_speak_of_the_product_alone(path: Path) -> None:
    """No path of somebody's machine, no host of a package registry, nothing left to do."""
    text = path.read_text(encoding="utf-8")

    assert not [host for host in REGISTRIES if host in text]
    assert not HOMES.findall(text)
    assert not LEFTOVERS.findall(text)


def test_locks_are_hashed_and_name_no_place() -> None:
    """Plain pip can install each lock from wherever its user has packages, and only what was
    locked.
    """
    locks = {
        path.stem: path.read_text(encoding="utf-8")
        for path in (ROOT / "requirements").rglob("*.txt")
    }

    own = {"core", "extras", "dev", "build", "docs", "smoke"}
    assert locks.keys() == own | declared().keys()
    for text in locks.values():
        pins = re.findall(
            r"^\w\S*==\S+(.*)\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE
        )
        assert len(pins) == len(re.findall(r"^\w", text, re.MULTILINE)) > 1
        assert not re.search(r"://|file:|^-| @ ", text, re.MULTILINE)


def test_a_built_site_has_no_dead_link_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    """A missing page, a missing heading, a script and a font of another site are each named."""
    (tmp_path / "index.html").write_text(
        '<h1 id="top">A</h1><a href="#top"></a><a href="b.html#one"></a><a href="gone.html"></a>'
        '<a href="b.html#two"></a><a href="https://example.org/"></a>'
        '<script src="https://example.org/x.js"></script><link rel="canonical" href="//a.b/">',
        encoding="utf-8",
    )
    (tmp_path / "b.html").write_text('<h2 id="one">B</h2><a href="/">A</a>', encoding="utf-8")
    (tmp_path / "x.css").write_text("@font-face{src:url(https://a.b/f.woff)}", encoding="utf-8")

    assert faults(tmp_path) == [
        "index.html: gone.html leads nowhere",
        "index.html: b.html#two names no heading",
        "index.html: https://example.org/x.js is loaded from elsewhere",
        "x.css: https://a.b/f.woff is loaded from elsewhere",
    ]

"""Writes ``docs/reference/*.md`` from the code; with ``--check`` says what would change and fails.

Each page is made by one function below and needs one part of the code; a part that is not there
makes an empty page, never a wrong one.
"""

from __future__ import annotations

import dataclasses
import difflib
import enum
import importlib
import inspect
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import FunctionType, MappingProxyType, ModuleType

from typer.core import TyperGroup, TyperOption

import omoide
from omoide.nouns import errors
from omoide.settings import config

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "omoide"
OUT = ROOT / "docs" / "reference"
NOTE = "*Made from the code by `make reference`. Edit the code, not this page.*"
HEADER = re.compile(r"^-- (\S+) --$")
CONSTRAINT = re.compile(r"\s+(?:COLLATE|NOT|DEFAULT|PRIMARY|REFERENCES|UNIQUE|CHECK|GENERATED)\b.*")


def part(name: str) -> ModuleType | None:
    """A module of Omoide, or None where there is no such file yet."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] == "omoide":
            return None
        raise


def page(title: str, lead: str, body: Iterable[str]) -> str:
    """A whole page: title, what it is, the note, then blocks with an empty line between."""
    blocks = [f"# {title}", lead, NOTE, *body]
    return "\n\n".join(block.rstrip() for block in blocks if block.strip()) + "\n"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table, or nothing where there are no rows."""
    cells = [
        tuple(re.sub(r"\s*\n\s*", " ", cell).replace("|", "\\|") for cell in row) for row in rows
    ]
    if not cells:
        return ""
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ("---",) * len(head), *cells))


def code(text: str) -> str:
    """Inline code, or nothing."""
    return f"`{text}`" if text else ""


def first_sentence(text: str | None) -> str:
    """The first paragraph of a docstring on one line."""
    return re.sub(r"\s+", " ", inspect.cleandoc(text or "").partition("\n\n")[0])


# -- Python
# ------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """A section of the page: what one does, with which verbs of ``Memory`` and which records."""

    title: str
    lead: str
    first: tuple[str, ...] = ()  # records that stand before the verbs
    verbs: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def tasks() -> list[Task]:
    """The sections, in order."""
    told = tomllib.loads((ROOT / "scripts" / "data" / "tasks.toml").read_text(encoding="utf-8"))
    return [
        Task(
            title=task["title"],
            lead=task["lead"],
            first=tuple(task.get("first", ())),
            verbs=tuple(task["verbs"]),
            names=tuple(task["names"]),
        )
        for task in told["task"]
    ]


def python_page() -> str:
    """Every public name with its signature and docstring, task by task; errors at the end."""
    lead = (
        "Everything that `import omoide` offers, by task. `AsyncMemory` has the same verbs as"
        " coroutines, with the same arguments."
    )
    sections = [block for task in tasks() for block in task_section(task)]
    return page("Python", lead, [*sections, *error_section(), *other_section()])


def task_section(task: Task) -> Iterator[str]:
    """A task: its verbs, then its records."""
    yield f"## {task.title}"
    yield task.lead
    for name in task.first:
        yield from described(name, getattr(omoide, name))
    listed = list(verbs())
    alone = {wanted for each in tasks() for wanted in each.verbs if "." in wanted}
    for wanted in task.verbs:
        for path, verb in listed:
            if path == wanted or (path.split(".")[0] == wanted and path not in alone):
                yield from described_verb(f"memory.{path}", verb)
    for name in task.names:
        if name in omoide.__all__:
            yield from described(name, getattr(omoide, name))


def verbs() -> Iterator[tuple[str, object]]:
    """The verbs and properties of ``Memory``, and those of its groups as ``group.verb``."""
    for name in public_members(omoide.Memory):
        member = inspect.getattr_static(omoide.Memory, name)
        group = group_of(member)
        if group is None:
            yield name, member
        else:
            for verb in public_members(group):
                found = inspect.getattr_static(group, verb)
                if found is not inspect.getattr_static(omoide.Memory, verb, None):  # all have it
                    yield f"{name}.{verb}", found


def public_members(thing: type) -> list[str]:
    """The public names of a class, those of its bases included, the nearest class first."""
    names = (name for kind in thing.__mro__ for name in vars(kind) if not name.startswith("_"))
    return list(dict.fromkeys(names))


def group_of(member: object) -> type | None:
    """The class behind a property that gives a group of verbs; None for anything else."""
    if not isinstance(member, property) or member.fget is None:
        return None
    given = member.fget.__annotations__.get("return")
    module = sys.modules[member.fget.__module__]
    kind = getattr(module, given, None) if isinstance(given, str) else given
    is_group = inspect.isclass(kind) and kind.__module__.startswith("omoide.verbs")
    return kind if is_group else None


def described_verb(path: str, member: object) -> Iterator[str]:
    """The section of a verb or property, by the path with which a program calls it."""
    yield f"### {path}"
    if isinstance(member, property):
        yield docstring(member)
    elif isinstance(function := getattr(member, "__func__", member), FunctionType):
        yield signature(path.rpartition(".")[2], function)
        yield docstring(function)


def error_section() -> Iterator[str]:
    """Every public error, the base first."""
    yield "## Errors"
    yield "[Errors](errors.md) has the tree of errors, with HTTP statuses and exit codes."
    for error in below(errors.OmoideError):
        if error.__name__ in omoide.__all__:
            yield from described(error.__name__, error)


def other_section() -> Iterator[str]:
    """Whatever no task names; a test holds that there is none."""
    named = {name for task in tasks() for name in (*task.first, *task.names)}
    kinds = {error.__name__ for error in below(errors.OmoideError)}
    for name in omoide.__all__:
        if name not in named | kinds and not name.startswith("__"):
            yield from described(name, getattr(omoide, name))
    listed = {verb for task in tasks() for verb in task.verbs}
    for path, verb in verbs():
        if not {path, path.split(".")[0]} & listed:
            yield from described_verb(f"memory.{path}", verb)


def described(name: str, thing: object) -> Iterator[str]:
    """The section of one public name."""
    yield f"### {name}"
    if inspect.isclass(thing):
        yield from described_class(name, thing)
    elif inspect.isfunction(thing):
        yield signature(name, thing)
        yield docstring(thing)
    elif isinstance(thing, str | int | float | bytes):
        yield f"`{name} = {thing!r}`"
    else:
        yield code(
            re.sub(
                r"\bomoide\.\w+\.|\btyping\.",
                "",
                getattr(thing, "__name__", "") or type(thing).__name__,
            )
        )


def described_class(name: str, thing: type) -> Iterator[str]:
    """Constructor, docstring, fields or members, then public methods."""
    constructor = thing.__dict__.get("__init__")
    is_record = dataclasses.is_dataclass(thing) and not issubclass(thing, Exception)
    if isinstance(constructor, FunctionType) and not is_record:
        yield signature(name, constructor)
    yield docstring(thing)
    if issubclass(thing, enum.Enum):
        notes = comments(thing)
        rows = (
            (code(member.name), code(repr(member.value)), notes.get(member.name, ""))
            for member in thing
        )
        yield table(("member", "value", ""), rows)
    if is_record:
        yield table(("field", "type", "default", ""), fields(thing))
    if thing not in (omoide.Memory, omoide.AsyncMemory):
        yield from described_members(name, thing)


def described_members(name: str, thing: type) -> Iterator[str]:
    """The public methods and properties of a record."""
    for member, value in vars(thing).items():
        if member.startswith("_"):
            continue
        if isinstance(value, property):
            yield f"`{name}.{member}`: {first_sentence(value.__doc__)}"
        elif isinstance(function := getattr(value, "__func__", value), FunctionType):
            yield f"#### {name}.{member}"
            yield signature(member, function)
            yield docstring(function)


def fields(thing: type) -> Iterator[tuple[str, str, str, str]]:
    """The fields of a record, its own before inherited ones: name, type, default, and the comment
    on its line.
    """
    notes = comments(thing)
    own = vars(thing)["__annotations__"]
    for field in sorted(dataclasses.fields(thing), key=lambda field: field.name not in own):
        if not field.name.startswith("_"):
            default = "" if field.default is dataclasses.MISSING else shown(field.default)
            if field.default_factory is not dataclasses.MISSING:
                default = shown(field.default_factory())
            yield (
                code(field.name),
                code(annotated(field.type)),
                code(default),
                notes.get(field.name, ""),
            )


def comments(thing: type) -> dict[str, str]:
    """What the source says behind each field of a class, inherited ones too."""
    kinds = (kind for kind in reversed(thing.__mro__) if dataclasses.is_dataclass(kind))
    sources = "".join(inspect.getsource(kind) for kind in (*kinds, thing))
    found = re.finditer(r"^    (\w+)(?:: | = )[^\n#]*# *([^\n]+)$", sources, re.MULTILINE)
    return {match[1]: match[2] for match in found}


def shown(value: object) -> str:
    """A default as one would write it."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if (
        isinstance(value, frozenset)
        and value
        and all(isinstance(member, enum.Enum) for member in value)
    ):
        return "{" + ", ".join(sorted(shown(member) for member in value)) + "}"
    if isinstance(value, frozenset) and len(value) > 5:
        return "…"  # a set has no order
    if isinstance(value, Path):
        return f"Path({value.as_posix()!r})"
    if isinstance(value, MappingProxyType):
        return repr(dict(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        given = [
            f"{field.name}={shown(getattr(value, field.name))}"
            for field in dataclasses.fields(value)
            if not is_default(value, field)
        ]
        return f"{type(value).__name__}({', '.join(given)})"
    if inspect.isclass(value) or inspect.isroutine(value):
        return value.__name__
    return "…" if re.search(r" at 0x[0-9a-f]+", repr(value)) else repr(value)


def is_default(record: object, field: dataclasses.Field[object]) -> bool:
    """Whether a field of a record holds what it holds when nobody sets it."""
    usual = (
        field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
    )
    return bool(getattr(record, field.name) == usual)


def signature(name: str, function: FunctionType) -> str:
    """The call in a code block, one parameter a line where it is long."""
    signed = inspect.signature(function)
    pieces: list[str] = []
    star = False
    for parameter in signed.parameters.values():
        if parameter.name in ("self", "cls") and not pieces:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            pieces.append("*")
        star = star or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        pieces.append(written(parameter))
    gives = (
        ""
        if signed.return_annotation in (signed.empty, "None", None)
        else f" -> {annotated(signed.return_annotation)}"
    )
    line = f"{name}({', '.join(pieces)}){gives}"
    if len(line) > 100:
        line = f"{name}(\n" + "".join(f"    {piece},\n" for piece in pieces) + f"){gives}"
    return f"```text\n{line}\n```"


def written(parameter: inspect.Parameter) -> str:
    """One parameter as in the source."""
    prefix = (
        "*"
        if parameter.kind is parameter.VAR_POSITIONAL
        else "**"
        if parameter.kind is parameter.VAR_KEYWORD
        else ""
    )
    kind = "" if parameter.annotation is parameter.empty else f": {annotated(parameter.annotation)}"
    default = (
        ""
        if parameter.default is parameter.empty
        else (" = " if kind else "=") + shown(parameter.default)
    )
    return f"{prefix}{parameter.name}{kind}{default}"


def annotated(annotation: object) -> str:
    """A type as in the source."""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def docstring(thing: object) -> str:
    """The docstring as a page shows it: double backquotes become single ones, sections become
    lists.
    """
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    if (
        inspect.isclass(thing)
        and dataclasses.is_dataclass(thing)
        and text.startswith(f"{thing.__name__}(")
    ):
        return ""
    text = re.sub(r"``(.+?)``", r"`\1`", text)
    lines, inside = [], False
    for line in text.split("\n"):
        if re.fullmatch(r"(Raises|Returns|Yields|Args):", line):
            lines.append(f"*{line}*\n")
            inside = True
        elif inside and re.match(r" {4}\S", line):
            lines.append("- " + line.strip())
        else:
            inside = inside and bool(re.match(r" {5,}|$", line))
            lines.append("  " + line.strip() if inside and line.strip() else line)
    return "\n".join(lines)


# -- Command line
# ------------------------------------------------------------------------------------------


def cli_page() -> str:
    """Every command with its arguments and options."""
    cli = part("omoide.cli")
    body = commands("omoide", cli.all_commands()) if cli else ()
    return page("Command line", "Every command. `omoide COMMAND --help` says the same.", body)


def commands(path: str, command: object) -> Iterator[str]:
    """The section of one command, then those of the commands below it."""
    if getattr(command, "hidden", False):
        return
    yield f"## {path}"
    yield inspect.cleandoc(getattr(command, "help", None) or "").replace("\f", "")
    params = [
        param for param in getattr(command, "params", ()) if param.expose_value and not param.hidden
    ]
    yield table(("", "", "default"), (option_row(param) for param in params))
    if isinstance(command, TyperGroup):
        for name, below in sorted(command.commands.items()):
            yield from commands(f"{path} {name}", below)


def option_row(param: object) -> tuple[str, str, str]:
    """An argument or option: how to write it, what it does, what it is if left out."""
    is_option = isinstance(param, TyperOption)
    names = [*getattr(param, "opts", ()), *getattr(param, "secondary_opts", ())]
    wording = ", ".join(
        code(name if is_option else str(getattr(param, "name", name)).upper()) for name in names
    )
    envvar = getattr(param, "envvar", None)
    says = (getattr(param, "help", None) or "") + (f" Variable: `{envvar}`." if envvar else "")
    default = getattr(param, "default", None)
    if getattr(param, "required", False):
        return wording, says, "required"
    return (
        wording,
        says,
        "" if default in (None, False, []) or callable(default) else code(shown(default)),
    )


# -- Errors
# ------------------------------------------------------------------------------------------------


def errors_page() -> str:
    """The tree of errors, with what a server and a shell answer."""
    lead = (
        "Every error that Omoide raises on purpose is an `OmoideError`. Catch the narrowest class"
        " with which you can do something."
    )
    tree = inspect.cleandoc(errors.__doc__ or "").partition("::\n\n")[2].partition("\n\n")[0]
    rows = (
        (
            code(kind.__name__),
            code(kind.__bases__[0].__name__),
            str(kind.http_status),
            str(kind.exit_code),
            first_sentence(kind.__doc__),
        )
        for kind in below(errors.OmoideError)
    )
    body = (
        f"```text\n{inspect.cleandoc(tree)}\n```",
        table(("error", "is a", "HTTP", "exit code", "when"), rows),
    )
    return page("Errors", lead, body)


def below(kind: type[errors.OmoideError]) -> Iterator[type[errors.OmoideError]]:
    """A class and all classes under it that the same module defines, depth first, in the order of
    the source.
    """
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == kind.__module__:
            yield from below(child)


# -- Settings
# ----------------------------------------------------------------------------------------------


def config_page() -> str:
    """Every setting with its variable, type and default."""
    rows = (
        (setting, code(f"{config.PREFIX}{setting.strip('`').upper()}"), kind, default, note)
        for setting, kind, default, note in fields(config.Config)
    )
    lead = re.sub(
        r"``(.+?)``", r"`\1`", inspect.cleandoc(config.__doc__ or "").partition("\n\n")[2]
    )
    return page("Settings", lead, [table(("setting", "variable", "type", "default", ""), rows)])


# -- Tables and queries
# ------------------------------------------------------------------------------------


def schema_page() -> str:
    """Every table with its columns, as the migrations leave them."""
    lead = (
        "Every table, in the order of the migrations that make it. "
        "Defaults and constraints are the same on Postgres, so only its types are shown."
    )
    sides = {engine: dict(columns(engine)) for engine in ("sqlite", "postgres")}
    body = []
    for name in dict.fromkeys([*sides["sqlite"], *sides["postgres"]]):
        of_sqlite, of_postgres = sides["sqlite"].get(name, {}), sides["postgres"].get(name, {})
        rows = []
        for column in dict.fromkeys([*of_sqlite, *of_postgres]):
            left, note = of_sqlite.get(column, ("", ""))
            right, other = of_postgres.get(column, ("", ""))
            rows.append(
                (
                    code(column),
                    code(left),
                    code(CONSTRAINT.sub("", right) if left else right),
                    note or other,
                )
            )
        only = (
            "" if of_sqlite and of_postgres else f"On {'SQLite' if of_sqlite else 'Postgres'} only."
        )
        body += [f"## {name}", only, table(("column", "SQLite", "Postgres", ""), rows)]
    return page("Tables", lead, body)


def columns(engine: str) -> Iterator[tuple[str, dict[str, tuple[str, str]]]]:
    """Each table with its columns: name to type and comment."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for path in sorted((SOURCE / "store" / "migrations").glob(f"*.{engine}.sql")):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(
            r"^CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?(\w+)[^(;]*\((.*?)\n?\)[^)(]*;",
            text,
            re.M | re.S,
        ):
            found[match[1]] = dict(column_lines(match[2]))
        for match in re.finditer(
            r"^ALTER TABLE (\w+) ADD COLUMN ([^;]+);[ \t]*(--[^\n]*)?", text, re.M
        ):
            found.setdefault(match[1], {}).update(column_lines(f"{match[2]} {match[3] or ''}"))
    yield from found.items()


def column_lines(body: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """The columns of a table's body, constraints aside; a comment belongs to the column on its
    line.
    """
    for line in body.split("\n"):
        definition, _, comment = line.partition("--")
        match = re.match(r"\s*([a-z_0-9]+)\s*([^,]*(?:\([^)]*\)[^,]*)?),?\s*$", definition)
        if match:
            yield match[1], (re.sub(r"\s+", " ", match[2]).strip(), comment.strip())


def sql_page() -> str:
    """Every named query with its sentence."""
    body = []
    for path in sorted((SOURCE / "store" / "sql").glob("*.sql")):
        stem, *engine = path.stem.split(".")
        where = (
            {"sqlite": " on SQLite", "postgres": " on Postgres"}.get(engine[0], "")
            if engine
            else ""
        )
        body += [
            f"## {stem}{where}",
            table(("query", "does"), queries(path.read_text(encoding="utf-8"))),
        ]
    return page(
        "Queries",
        "Everything that Omoide asks a database, by name. Each query binds the scope it may see.",
        body,
    )


def queries(text: str) -> Iterator[tuple[str, str]]:
    """Name and sentence of each query of a file."""
    name, said = "", list[str]()
    for line in [*text.splitlines(), ""]:
        if match := HEADER.match(line):
            name, said = match[1], []
        elif name and line.startswith("--"):
            said.append(line.lstrip("- ").rstrip())
        elif name:
            yield code(name), " ".join(said)
            name = ""


PAGES: Mapping[str, Callable[[], str]] = {
    "python": python_page,
    "cli": cli_page,
    "errors": errors_page,
    "config": config_page,
    "schema": schema_page,
    "sql": sql_page,
}


def drift(name: str, new: str) -> str:
    """The difference between the page there is and the page there should be; empty where none."""
    path = OUT / f"{name}.md"
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    return "".join(
        difflib.unified_diff(
            old.splitlines(True),
            new.splitlines(True),
            f"{name}.md",
            f"{name}.md, from the code",
            n=0,
        )
    )


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` only compare; 1 where they differ."""
    pages = {name: make() for name, make in PAGES.items()}
    if "--check" in arguments:
        changes = [change for name, text in pages.items() if (change := drift(name, text))]
        print(
            "\n".join(changes) + "\ndocs/reference is out of step: run make reference"
            if changes
            else "docs/reference is in step"
        )
        return 1 if changes else 0
    OUT.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (OUT / f"{name}.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

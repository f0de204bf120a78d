"""Writes ``src/omoide/aio.py`` and ``src/omoide/verbs/awaited.py`` from the declarations of the
verbs; with ``--check`` says which of them would change, and fails.

Signatures come from the source of each verb, so that names and defaults stay as they are written
there.
"""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from omoide.memory import GROUPS, VERBS, Memory
from omoide.wire.verbs import Verb

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "src" / "omoide" / "aio.py"
GROUPS_OUT = ROOT / "src" / "omoide" / "verbs" / "awaited.py"
LIMIT = 100  # columns
HEAD = '''"""{title}

Made by scripts/async_memory.py from the declarations of the verbs; edit these, not this file.
"""

from __future__ import annotations

{imports}
'''
MEMORY = '''
class AsyncMemory(OtherNames, Threaded[Memory]):
    """A Memory for asyncio, with the same verbs and arguments. It owns its threads, so no loop's
    pool runs dry.
    """

    def __init__(self, memory: Memory, *, threads: int = THREADS) -> None:
        check_opened(memory, "await AsyncMemory", "memory")
        super().__init__(memory, ThreadPoolExecutor(threads, thread_name_prefix="omoide"))

    @property
    def memory(self) -> Memory:
        """The memory whose verbs these are."""
        return self._group

    @classmethod
    async def open{open} -> AsyncMemory:
        """Open a memory in a thread; see ``Memory.open``."""
        opening = partial(Memory.open, {open_call})
        return cls(await asyncio.get_running_loop().run_in_executor(None, opening))

    def at{at} -> AsyncMemory:
        """Return the same memory bound to more names, with the same threads; see ``Memory.at``."""
        return self._over(self.memory.at({at_call}))

    def acting(self, because: Because) -> AsyncMemory:
        """Return the same memory with its changes put down to an actor, a reason and a cause."""
        return self._over(self.memory.acting(because))

    def for_principal(self, principal: Principal) -> AsyncMemory:
        """Return the same memory for somebody else who asks, within their scope and rights."""
        return self._over(self.memory.for_principal(principal))

    def _over(self, memory: Memory) -> AsyncMemory:
        """Another memory in the same threads."""
        twin = object.__new__(type(self))
        twin._group, twin._pool = memory, self._pool
        return twin

    async def close(self) -> None:
        """Wait for calls in flight, then close the memory. Safe to call again."""
        await asyncio.get_running_loop().run_in_executor(None, self._close)

    def _close(self) -> None:
        self._pool.shutdown(wait=True)
        self.memory.close()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
'''
NEEDED = """
import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from omoide.memory import Memory
from omoide.nouns.access import Principal
from omoide.nouns.change import Because
from omoide.verbs.other_names import OtherNames, check_opened
from omoide.verbs.threads import THREADS, Threaded
"""


GROUPS_NEEDED = """
from omoide.verbs.threads import Threaded
"""
TITLE = "AsyncMemory: the verbs of Memory for asyncio, each run in a thread of its own pool."
GROUPS_TITLE = "The groups of verbs for asyncio, each verb run in a thread of its memory's pool."


def tree_of(function: object) -> ast.FunctionDef:
    """The definition of a function, from its source."""
    found = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]  # type: ignore[arg-type]
    assert isinstance(found, ast.FunctionDef)
    return found


def passed_on(tree: ast.FunctionDef) -> str:
    """The arguments of a call that passes all parameters on."""
    given = tree.args
    return ", ".join(
        (
            *(argument.arg for argument in given.args[1:]),
            *(f"{argument.arg}={argument.arg}" for argument in given.kwonlyargs),
            *((f"**{given.kwarg.arg}",) if given.kwarg else ()),
        )
    )


def method_of(verb: Verb) -> str:
    """The method that runs a verb in a thread."""
    tree = tree_of(verb.function)
    assert tree.returns
    returns = ast.unparse(tree.returns)
    owner = "self._group" if verb.group else "self.memory"
    summary = textwrap.fill(verb.summary, LIMIT - len('        """"""'))
    quoted = summary + "\n" if "\n" in summary else summary
    call = f"await self._run({owner}.{verb.name}, {passed_on(tree)})"
    return textwrap.indent(
        f"async def {verb.name}({ast.unparse(tree.args)}) -> {returns}:\n"
        + textwrap.indent(f'"""{quoted}"""\n', "    ")
        + f"    {call if returns == 'None' else 'return ' + call}\n",
        "    ",
    )


def class_of(group: str) -> str:
    """The class of a group of verbs."""
    owner = GROUPS[group].__name__
    methods = "\n".join(method_of(verb) for verb in VERBS if verb.group == group)
    told = f'"""``memory.{group}`` for asyncio."""'
    return f"class Async{owner}(Threaded[{owner}]):\n    {told}\n\n{methods}"


def properties() -> Iterator[str]:
    """The groups as attributes of the memory."""
    for group, owner in GROUPS.items():
        told = (getattr(Memory, group).__doc__ or "").strip()
        yield (
            f"    @property\n    def {group}(self) -> Async{owner.__name__}:\n"
            f'        """{told}"""\n'
            f"        return Async{owner.__name__}(self.memory.{group}, self._pool)\n"
        )


def imports_of(path: str, module: str, names: set[str]) -> Iterator[tuple[str, str]]:
    """Where a module has these names from: itself, or where it imports them from."""
    for node in ast.parse(Path(path).read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, a.name) for a in node.names if a.name in names)
        elif isinstance(node, ast.Assign | ast.ClassDef):
            targets = node.targets if isinstance(node, ast.Assign) else [ast.Name(node.name)]
            own = {target.id for target in targets if isinstance(target, ast.Name)}
            yield from ((module, name) for name in own & names)


def import_lines(bodies: Iterable[str], needed: str) -> str:
    """The imports of every name that the signatures use."""
    used = {
        node.id
        for body in bodies
        for node in ast.walk(ast.parse(body))
        if isinstance(node, ast.Name)
    }
    modules = {inspect.getmodule(owner) for owner in (*Memory.__mro__[:-1], *GROUPS.values())}
    found = {(owner.__module__, owner.__name__) for owner in GROUPS.values()} | set(_given(needed))
    for module in filter(None, modules):
        known = {name for _, name in found}
        found |= set(imports_of(str(module.__file__), module.__name__, used - known))
    plain = [line for line in needed.splitlines() if line.startswith("import ")]
    return "\n".join(plain + [f"from {module} import {name}" for module, name in sorted(found)])


def _given(lines: str) -> Iterator[tuple[str, str]]:
    for node in ast.parse(lines).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def sources() -> Iterator[tuple[Path, str]]:
    """Both modules whole, formatted."""
    opened, at = tree_of(inspect.unwrap(Memory.open.__func__)), tree_of(inspect.unwrap(Memory.at))  # type: ignore[attr-defined]
    memory = MEMORY.format(
        open=f"({ast.unparse(opened.args)})",
        open_call=passed_on(opened),
        at=f"({ast.unparse(at.args)})",
        at_call=passed_on(at),
    )
    everyday = (method_of(verb) for verb in VERBS if not verb.group)
    groups = [class_of(group) for group in GROUPS]
    owners = ", ".join(f"Async{owner.__name__}" for owner in GROUPS.values())
    needed = NEEDED + f"from omoide.verbs.awaited import {owners}\n"
    yield module(OUT, TITLE, ["\n".join((memory, *properties(), *everyday))], needed)
    yield module(GROUPS_OUT, GROUPS_TITLE, groups, GROUPS_NEEDED)


def module(path: Path, title: str, bodies: list[str], needed: str) -> tuple[Path, str]:
    """A module of these bodies, with what they import."""
    text = HEAD.format(title=title, imports=import_lines(bodies, needed)) + "\n\n".join(bodies)
    return path, formatted(text)


def formatted(text: str) -> str:
    """The text as ruff sorts and formats it."""
    ruff = [sys.executable, "-m", "ruff"]
    name = ["--stdin-filename", str(OUT), "-"]
    for command in (["check", "--fix", "--quiet", "--select", "I,F401"], ["format", "--quiet"]):
        text = subprocess.run(
            [*ruff, *command, *name], input=text, text=True, capture_output=True, check=True
        ).stdout
    return text


def main(arguments: list[str]) -> int:
    """Write the modules, or compare."""
    made = dict(sources())
    if "--check" not in arguments:
        for path, text in made.items():
            path.write_text(text, "utf-8")
        return 0
    stale = [
        path.relative_to(ROOT)
        for path, text in made.items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    for path in stale:
        print(f"{path} is not what the verbs declare; run scripts/async_memory.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Commands that work or serve until they are stopped, and those about work that waits."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from omoide.cli import show
from omoide.cli.here import Here
from omoide.cli.options import Host, Limit, OnlyDead, Port, Threads, UntilIdle, Upstream
from omoide.cli.show import Seen, console, day, job_state, safe, table, waiting
from omoide.nouns.change import Because
from omoide.nouns.chore import Ran
from omoide.nouns.errors import InvalidInput, NotFound, OmoideError
from omoide.nouns.metadata import parse_json
from omoide.nouns.record.lines import counted
from omoide.nouns.scope import Scope
from omoide.settings.off import off_message

if TYPE_CHECKING:
    from omoide.jobs.queue import JobsDone
    from omoide.memory import Memory
    from omoide.proxy import Proxy
    from omoide.tables.jobs import Queued


def worker(
    here: Here,
    threads: Threads = 1,
    until_idle: UntilIdle = False,
) -> None:
    """Run queued jobs until stopped. Several workers may run, on several machines."""
    from omoide.jobs.worker import OFTEN_S

    here.warn_of_models()
    with here.opened() as memory:
        if not until_idle:
            typer.echo(f"working on {here.store}; Ctrl-C stops it", err=True)
        with memory.upkeep.worker(threads, every_s=OFTEN_S) as working, stoppable():
            working.wait(idle=until_idle)
        console.print(_sums(working.done))
        if not memory.capabilities.learning:
            waiting(memory.stats(here.scope))
        if until_idle and working.done.error is not None:
            raise typer.Exit(1)


def proxy(
    here: Here,
    upstream: Upstream,
    port: Port = 8787,
    host: Host = "127.0.0.1",
) -> None:
    """Serve a model's interface with memory added, until stopped.

    A request's user is in its header X-Omoide-User or its field user, its session in
    X-Omoide-Session. Keys are passed on, and never stored or logged.
    """
    from omoide.proxy import Proxy

    here.warn_of_models()
    with here.opened(create=True, background=True) as memory:
        mine, scope = memory.acting(Because(actor="proxy")), here.scope
        with Proxy(mine, upstream, host=host, port=port, scope=scope) as serving, stoppable():
            here.note_login()
            _announce(serving, here.store)
            serving.serve_forever(poll_interval=0.1)


def _announce(serving: Proxy, store: str) -> None:
    """Say on standard error where a proxy listens, and who may reach it."""
    if not serving.is_local:
        said = "other machines may reach this proxy, and each client names its user itself"
        typer.secho(f"warning: {said}", err=True, fg="yellow")
    where = f"{serving.url} passes on to {serving.upstream}, with {store}"
    typer.echo(f"{where}; Ctrl-C stops it", err=True)


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """Leave the block when the process is told to end, by Ctrl-C or by the system."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def _sums(done: JobsDone | Ran) -> str:
    if not done.done + done.failed + done.dead:
        return "nothing was to be done"
    also = (
        f"{done.failed} failed and will be tried again" if done.failed else "",
        f"{done.dead} gave up" if done.dead else "",
    )
    return ", ".join((f"{counted(done.done, 'job')} done", *filter(None, also)))


def jobs(here: Here, dead: OnlyDead = False, limit: Limit = 100) -> None:
    """List background jobs that wait, run, or failed."""
    with here.opened() as memory:
        state = "dead" if dead else None
        places = _with_the_stores(here.scope)
        listed = (memory.jobs.list(place, state=state, limit=limit) for place in places)
        found = list({job.id: job for jobs in listed for job in jobs}.values())[:limit]
        gone = ("no job gave up", "omoide jobs list shows what waits")
        none = gone if dead else ("no job waits", "")
        seen = show.Seen(memory.clock.now(), memory.capabilities.learning)
        here.tell(found, partial(_show, seen), none)


def run(
    here: Here,
    limit: Limit = 100,
    kind: Annotated[str | None, Option(help="Only jobs of this kind.")] = None,
) -> None:
    """Run the jobs that are due now, and stop."""
    here.warn_of_models()
    with here.opened() as memory:
        ran = memory.jobs.run(limit=limit, kind=kind)
    here.tell(ran, _sums(ran))
    if ran.failed or ran.dead:
        raise typer.Exit(1)


def replay(here: Here, id: Annotated[str, Argument(help="A job's id, or all.")]) -> None:
    """Retry a job that failed for good, or all of them."""
    with here.opened() as memory:
        count = _replayed(memory, None if id == "all" else id, here.scope)
    again = f"{counted(count, 'job')} will be tried again by omoide worker"
    none = "no job gave up; nothing to try again"
    here.tell({"replayed": count}, again if count else none)


def _with_the_stores(scope: Scope) -> tuple[Scope, ...]:
    """A scope, and where the jobs of the store itself are, which is the caller's own."""
    names = scope.user or scope.agent or scope.session
    return (scope, Scope(tenant=scope.tenant, shared=True)) if names else (scope,)


def _replayed(memory: Memory, id: str | None, scope: Scope) -> int:
    """How many failed jobs of a scope, or of the store itself, are tried again."""
    *others, last = _with_the_stores(scope)
    if id is None:
        return sum(memory.jobs.replay(None, one) for one in (*others, last))
    for one in others:
        with contextlib.suppress(NotFound):
            return memory.jobs.replay(id, one)
    return memory.jobs.replay(id, last)


def answer(here: Here, id: Annotated[str, Argument(help="A job's id.")]) -> None:
    """Show the model's answer that made a job fail."""
    with here.opened() as memory:
        said = memory.jobs.answer(id, here.scope)
    here.tell({"id": id, "answer": said}, safe(said, len(said)))


def _show(seen: Seen, found: Sequence[Queued]) -> None:
    def time(job: Queued) -> str:
        return (
            f"gave up {day(job.failed_at)}"
            if job.state == "dead"
            else job_state(job.kind, job.state, job.run_at, seen)
        )

    def why(job: Queued) -> str:
        if not job.error or not job.failures:  # a limit that it waits for is no failure
            return job.error
        return f"{counted(job.failures, 'failure')}, last {job.error}"

    table(
        ("job", "kind", "state", ""),
        [(safe(job.id), safe(job.kind), time(job), safe(why(job), 400)) for job in found],
    )


def hook(here: Here) -> None:
    """Serve a hook of Claude Code: its event as JSON on standard input, the answer on standard
    output.

    The prompt is never blocked: where memory cannot work, the answer says so.
    """
    from omoide.adapters.claude_code import answer

    try:
        event = parse_json(sys.stdin.read())
    except ValueError as error:
        raise InvalidInput("event", f"is not JSON on standard input: {error}") from None
    if not isinstance(event, dict):
        raise InvalidInput("event", "must be a JSON object, as Claude Code sends one to a hook")
    try:
        with here.opened(create=True) as memory:
            told = answer(memory, event)
    except OmoideError as error:
        told = {"systemMessage": f"omoide: {off_message(error)}"}
    sys.stdout.write(f"{json.dumps(told, ensure_ascii=False)}\n")

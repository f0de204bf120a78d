"""Commands that work or serve until they are stopped, and those about work that waits."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.options import Host, OnlyDead, Port, ShownMost, Threads, UntilIdle, Upstream
from omoide.cli.session import (
    AsJson,
    named_store,
    note_login,
    opened,
    print_json,
    scope_of,
    tell,
    tell_all,
    warn_of_models,
)

if TYPE_CHECKING:
    from omoide.cli.show import Seen
    from omoide.jobs.queue import JobsDone
    from omoide.nouns.chore import Ran
    from omoide.proxy import Proxy
    from omoide.tables.jobs import Queued


def worker(
    context: typer.Context,
    threads: Threads = 1,
    until_idle: UntilIdle = False,
) -> None:
    """Run queued jobs until stopped. Several workers may run, on several machines."""
    from omoide.cli.show import console, waiting
    from omoide.jobs.worker import OFTEN_S

    warn_of_models(context)
    with opened(context) as memory:
        if not until_idle:
            typer.echo(f"working on {named_store(context)}; Ctrl-C stops it", err=True)
        with memory.upkeep.worker(threads, every_s=OFTEN_S) as working, stoppable():
            working.wait(idle=until_idle)
        console.print(_sums(working.done))
        if not memory.capabilities.learning:
            waiting(memory.stats(scope_of(context)))
        if until_idle and working.done.error is not None:
            raise typer.Exit(1)


def proxy(
    context: typer.Context,
    upstream: Upstream,
    port: Port = 8787,
    host: Host = "127.0.0.1",
) -> None:
    """Serve a model's interface with memory added, until stopped.

    A request's user is in its header X-Omoide-User or its field user, its session in
    X-Omoide-Session. Keys are passed on, and never stored or logged.
    """
    from omoide.nouns.change import Because
    from omoide.proxy import Proxy

    warn_of_models(context)
    with opened(context, create=True, background=True) as memory:
        mine, scope = memory.acting(Because(actor="proxy")), scope_of(context)
        with Proxy(mine, upstream, host=host, port=port, scope=scope) as serving, stoppable():
            note_login(context)
            _announce(serving, named_store(context))
            serving.serve_forever(poll_interval=0.1)


def _announce(serving: Proxy, store: str) -> None:
    """Say on standard error where a proxy listens, and who may reach it."""
    if not serving.is_local:
        said = "other machines may reach this proxy, and each client names its user itself"
        typer.secho(f"warning: {said}", err=True, fg="yellow")
    where = f"{serving.url} passes on to {serving.upstream}, with {store}"
    typer.echo(f"{where}; Ctrl-C stops it", err=True)


@contextmanager
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
    from omoide.cli.show import counted

    if not done.done + done.failed + done.dead:
        return "nothing was to be done"
    also = (
        f"{done.failed} failed and will be tried again" if done.failed else "",
        f"{done.dead} gave up" if done.dead else "",
    )
    return ", ".join((f"{counted(done.done, 'job')} done", *filter(None, also)))


def jobs(
    context: typer.Context,
    dead: OnlyDead = False,
    limit: ShownMost = 100,
    as_json: AsJson = False,
) -> None:
    """List background jobs that wait, run, or failed."""
    from omoide.cli import show

    with opened(context) as memory:
        state = "dead" if dead else None
        found = memory.jobs.list(scope_of(context), state=state, limit=limit)
        gone = ("no job gave up", "omoide jobs list shows what waits")
        none = gone if dead else ("no job waits", "")
        seen = show.Seen(memory.clock.now(), memory.capabilities.learning)
        tell_all(found, partial(_show, seen), none, as_json=as_json)


def run(
    context: typer.Context,
    limit: Annotated[int, typer.Option(help="How many at most.")] = 100,
    kind: Annotated[str | None, typer.Option(help="Only jobs of this kind.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run the jobs that are due now, and stop."""
    warn_of_models(context)
    with opened(context) as memory:
        ran = memory.jobs.run(limit=limit, kind=kind)
    tell(ran, _sums(ran), as_json=as_json)
    if ran.failed or ran.dead:
        raise typer.Exit(1)


def replay(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="A job's id, or all.")],
    as_json: AsJson = False,
) -> None:
    """Retry a job that failed for good, or all of them."""
    from omoide.cli.show import counted

    with opened(context) as memory:
        count = memory.jobs.replay(None if id == "all" else id, scope_of(context))
    line = (
        f"{counted(count, 'job')} will be tried again by omoide worker"
        if count
        else "no job gave up; nothing to try again"
    )
    tell({"replayed": count}, line, as_json=as_json)


def answer(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="A job's id.")],
    as_json: AsJson = False,
) -> None:
    """Show the model's answer that made a job fail."""
    from omoide.cli.show import console, safe

    with opened(context) as memory:
        said = memory.jobs.answer(id, scope_of(context))
    print_json({"id": id, "answer": said}) if as_json else console.print(safe(said, len(said)))


def _show(seen: Seen, found: Sequence[Queued]) -> None:
    from omoide.cli.show import counted, day, job_state, safe, table

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


def hook(context: typer.Context) -> None:
    """Serve a hook of Claude Code: its event as JSON on standard input, the answer on standard
    output.

    The prompt is never blocked: where memory cannot work, the answer says so.
    """
    from omoide.adapters.claude_code import answer
    from omoide.nouns.errors import InvalidInput, OmoideError, off_message

    try:
        event = json.load(sys.stdin)
    except ValueError as error:
        raise InvalidInput("event", f"is not JSON on standard input: {error}") from None
    if not isinstance(event, dict):
        raise InvalidInput("event", "must be a JSON object, as Claude Code sends one to a hook")
    try:
        with opened(context, create=True, whose=False) as memory:
            told = answer(memory, event)
    except OmoideError as error:
        told = {"systemMessage": f"omoide: {off_message(error)}"}
    sys.stdout.write(f"{json.dumps(told, ensure_ascii=False)}\n")

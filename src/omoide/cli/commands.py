"""Every command as data: where it stands, what runs it, and an example.

A command has the words of the verb that it calls, so that one list serves all doors. Commands that
are no verb of a memory stand beside them: they act on files, settings or processes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import typer

from omoide.cli import (
    asking,
    chatting,
    configuring,
    keeping,
    learning,
    measuring,
    moving,
    practising,
    reflecting,
    reviewing,
    telling,
    users,
    working,
)
from omoide.cli.here import Here
from omoide.cli.options import Limit
from omoide.cli.root import Group, OneCommand
from omoide.cli.signing import AsJson, with_options


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, the function that runs it, an example of its use, and whether it has the
    option --json.
    """

    name: str
    run: Callable[..., Any]
    example: str
    json: bool = True


EVERYDAY = (
    Command("remember", telling.remember, 'omoide remember "Ana likes green tea"'),
    Command("recall", asking.recall, 'omoide recall "What does Ana like?"'),
    Command("ask", asking.ask, 'omoide ask "Where does Ana live?"'),
    Command("context", asking.make_context, 'omoide context "What should I cook?"'),
    Command("import", moving.import_chats, "omoide import conversations.json"),
    Command("list", asking.list_items, "omoide list --category preference"),
    Command("get", asking.get, "omoide get 06h2emjat46tpqj21e1sjc5j"),
    Command(
        "correct", telling.correct, 'omoide correct 06h2emjat46tpqj21e1sjc5j "Ana lives in Porto"'
    ),
    Command("forget", keeping.forget, "omoide forget 06h2emjat46tpqj21e1sjc5j"),
    Command("due", asking.due, "omoide due"),
    Command("doctor", keeping.doctor, "omoide doctor"),
)
MORE = (
    Command("chat", chatting.chat, "omoide chat", json=False),
    Command("ingest", telling.ingest, "omoide --session chat-1 ingest messages.jsonl"),
    Command("history", asking.history, "omoide history 06h2emjat46tpqj21e1sjc5j"),
    Command("undo", telling.undo, "omoide undo 06h2emjat46tpqj21e1sjc5j"),
    Command("diff", asking.diff, "omoide diff 2026-01-01"),
    Command(
        "why-not", asking.why_not, 'omoide why-not "What does Ana like?" 06h2emjat46tpqj21e1sjc5j'
    ),
    Command("stats", asking.stats, "omoide stats"),
    Command("config", configuring.config, "omoide config user ana"),
    Command("secret", configuring.secret, "omoide secret openai"),
    Command("worker", working.worker, "omoide worker --until-idle", json=False),
    Command(
        "proxy", working.proxy, "omoide proxy --upstream https://api.openai.com/v1", json=False
    ),
    Command("hook", working.hook, "omoide hook", json=False),
)
GROUPS: dict[str, tuple[Command, ...]] = {
    "items": (
        Command("list", asking.list_items, "omoide items list --category preference"),
        Command("add-many", telling.seed, "omoide items add-many statements.jsonl"),
        Command(
            "edit", telling.edit, "omoide items edit 06h2emjat46tpqj21e1sjc5j tags=tea,kitchen"
        ),
        Command("pin", telling.pin, "omoide items pin 06h2emjat46tpqj21e1sjc5j"),
        Command(
            "feedback", telling.feedback, "omoide items feedback 06h2emjat46tpqj21e1sjc5j helpful"
        ),
        Command("reopen", telling.reopen, "omoide items reopen 06h2emjat46tpqj21e1sjc5j"),
        Command("sources", asking.sources, "omoide items sources 06h2emjat46tpqj21e1sjc5j"),
        Command(
            "dependants", reviewing.cascade, "omoide items dependants 06h2emjat46tpqj21e1sjc5j"
        ),
        Command("forget", keeping.forget_items, "omoide items forget --origin notes.md"),
    ),
    "sessions": (
        Command("list", asking.sessions, "omoide sessions list"),
        Command("start", learning.begin, "omoide sessions start"),
        Command("end", learning.end, "omoide sessions end chat-1"),
        Command("turns", asking.turns, "omoide sessions turns chat-1"),
        Command("window", asking.window, "omoide sessions window chat-1"),
        Command("extract", learning.extract, "omoide sessions extract chat-1"),
        Command("catch-up", learning.catch_up, "omoide sessions catch-up --preview"),
        Command("forget", keeping.forget_session, "omoide sessions forget chat-1"),
    ),
    "entities": (
        Command("list", asking.entities, "omoide entities list"),
        Command("name", telling.name, "omoide entities name person:ana Annie"),
        Command("merge", telling.merge, "omoide entities merge person:annie person:ana"),
        Command("split", telling.split, "omoide entities split person:ana Annie"),
        Command("forget", keeping.forget_entity, "omoide entities forget person:ana"),
    ),
    "users": (
        Command("list", users.users, "omoide users list"),
        Command("senders", users.senders, "omoide users senders"),
        Command("of", users.who, "omoide users of whatsapp +351912345678"),
        Command("link", users.link, "omoide users link whatsapp +351912345678 ana"),
        Command("unlink", users.unlink, "omoide users unlink whatsapp +351912345678"),
        Command("get", users.get, "omoide users get ana"),
        Command("edit", users.edit, "omoide users edit ana --zone Europe/Berlin"),
        Command("merge", users.merge, "omoide users merge whatsapp:+351912345678 ana"),
        Command("forget", keeping.forget_user, "omoide users forget ana"),
    ),
    "review": (
        Command("list", reviewing.review, "omoide review list"),
        Command(
            "approve", reviewing.approve, "omoide review approve 06h2emjat46tpqj21e1sjc5j SEAL"
        ),
        Command(
            "edit", reviewing.reword, 'omoide review edit 06h2emjat46tpqj21e1sjc5j "Ana likes tea"'
        ),
        Command("reject", reviewing.reject, "omoide review reject 06h2emjat46tpqj21e1sjc5j"),
        Command("approve-all", reviewing.approve_all, "omoide review approve-all --session s1"),
        Command("reject-all", reviewing.reject_all, "omoide review reject-all --source page.html"),
        Command("confirm", reviewing.confirm, "omoide review confirm 06h2emjat46tpqj21e1sjc5j"),
    ),
    "files": (
        Command("write", moving.write_files, "omoide files write memory"),
        Command("read", moving.read_files, "omoide files read memory"),
    ),
    "procedures": (
        Command("list", practising.procedures, "omoide procedures list --all"),
        Command("match", practising.lessons, 'omoide procedures match "book a train"'),
        Command("learn", practising.lesson, 'omoide procedures learn "book a train"'),
        Command("recipes", practising.recipes, "omoide procedures recipes"),
        Command("enable", practising.enable, "omoide procedures enable 06h2emjat46tpqj21e1sjc5j"),
        Command(
            "share", practising.hand_on, "omoide procedures share 06h2emjat46tpqj21e1sjc5j helper"
        ),
        Command("read-skill", practising.read_skill, "omoide procedures read-skill SKILL.md"),
        Command(
            "write-skill",
            practising.write_skill,
            "omoide procedures write-skill 06h2emjat46tpqj21e1sjc5j skills",
        ),
    ),
    "reflections": (
        Command("list", reflecting.reflections, "omoide reflections list"),
        Command("add", reflecting.reflect, "omoide reflections add chat-1"),
        Command("digests", reflecting.digests, "omoide reflections digests"),
        Command("condense", reflecting.condense, "omoide reflections condense"),
        Command("profile", reflecting.profile, "omoide reflections profile"),
    ),
    "searches": (
        Command("list", asking.list_searches, "omoide searches list"),
        Command("save", asking.save_search, 'omoide searches save birthdays "When are birthdays?"'),
        Command("run", asking.run_search, "omoide searches run birthdays"),
        Command("delete", asking.delete_search, "omoide searches delete birthdays"),
    ),
    "tool-calls": (
        Command("record", telling.record_tool, "omoide tool-calls record search"),
        Command("list", asking.tool_calls, "omoide tool-calls list search --failed"),
        Command("summary", asking.tools, "omoide tool-calls summary"),
        Command("analyse", learning.analyse, "omoide tool-calls analyse --preview"),
    ),
    "jobs": (
        Command("list", working.jobs, "omoide jobs list --dead"),
        Command("run", working.run, "omoide jobs run --limit 10"),
        Command("replay", working.replay, "omoide jobs replay all"),
        Command("answer", working.answer, "omoide jobs answer extract:chat-1"),
    ),
    "admin": (
        Command("backup", keeping.backup, "omoide admin backup copy.db"),
        Command("restore", keeping.restore, "omoide --store new.db admin restore copy.db"),
        Command("salvage", keeping.salvage, "omoide admin salvage new.db"),
        Command("export", moving.export, "omoide admin export ana.jsonl"),
        Command("load", moving.load, "omoide admin load ana.jsonl"),
        Command("doctor", keeping.doctor, "omoide admin doctor --deep"),
        Command("scan", keeping.scan, "omoide admin scan --mask"),
        Command("tidy", keeping.tidy, "omoide admin tidy"),
        Command("verify", keeping.verify, "omoide admin verify"),
        Command("erase", keeping.erase_all, "omoide admin erase turns"),
        Command("migrate", keeping.migrate, "omoide admin migrate"),
        Command(
            "move",
            moving.migrate_store,
            "omoide admin move memory.db postgresql://localhost/memory",
        ),
        Command("rekey", keeping.rekey, "omoide admin rekey"),
    ),
    "eval": (
        Command("run", measuring.run, "omoide eval run locomo-turns"),
        Command("context", measuring.contexts, "omoide eval context locomo-turns"),
        Command("show", measuring.show, "omoide eval show results.json"),
        Command("compare", measuring.compare, "omoide eval compare old.json new.json"),
        Command("extract", measuring.extract, "omoide eval extract locomo"),
    ),
    "probe": (
        Command("make", measuring.make_probes, "omoide probe make probes.jsonl"),
        Command("run", measuring.run_probes, "omoide probe run probes.jsonl"),
        Command("drop", measuring.drop_vectors, "omoide probe drop"),
    ),
}
HELP = {
    "items": "List, edit, rate and erase items.",
    "sessions": "Show, end, learn from and erase conversations.",
    "entities": "Name, merge and split people, projects and things.",
    "users": "List users, and link senders of channels.",
    "review": "Decide on proposals and unconfirmed items, one at a time.",
    "files": "Write items as Markdown files, and read your edits back.",
    "procedures": "Find, learn and share how things are done.",
    "reflections": "Show what sessions teach, and the profile.",
    "searches": "Save questions, and ask them again.",
    "tool-calls": "Record and sum up how agents use tools.",
    "jobs": "Show background work, and retry what failed.",
    "admin": "Back up, move, check and tidy the store.",
    "eval": "Measure recall and learning on datasets.",
    "probe": "Ask your own memory what it should know.",
}


def register(app: typer.Typer) -> None:
    """Add every command."""
    for command in (*EVERYDAY, *MORE):
        _add(app, command)
    for name, commands in GROUPS.items():
        example = "omoide review" if name == "review" else commands[0].example
        group = typer.Typer(
            name=name,
            cls=Group,
            help=HELP[name],
            epilog=f"Example: {example}",
            no_args_is_help=name != "review",
            invoke_without_command=name == "review",
            callback=_list_proposals if name == "review" else None,
        )
        for command in commands:
            _add(group, command)
        app.add_typer(group)


def _add(app: typer.Typer, command: Command) -> None:
    app.command(command.name, cls=OneCommand, epilog=f"Example: {command.example}")(
        with_options(command.run, json=command.json)
    )


def _list_proposals(
    context: typer.Context,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """Decide on proposals and unconfirmed items, one at a time."""
    if context.invoked_subcommand is None:
        reviewing.review_alone(Here(context.obj, as_json), limit)

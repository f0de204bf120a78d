"""What is said of a command that was typed wrong: what is wrong with it, and what was probably
meant.
"""

from __future__ import annotations

import re
from typing import Any

BEFORE = (
    "--store",
    "--user",
    "-u",
    "--agent",
    "--tenant",
    "--session",
    "--context",
)  # options of all commands
WORDS = frozenset({"text", "question", "goal", "task"})  # arguments that are a person's words
MEANT = {
    "omoide --help, or omoide COMMAND --help": ("help", "commands", "man"),
    "omoide --version": ("version",),
    'omoide remember "…"': ("add", "save", "store", "note", "learn", "init"),
    'omoide recall "…"': ("ask", "search", "find", "query", "context"),
    "omoide list": ("items", "ls", "show", "facts"),
    "omoide forget ID": ("delete", "del", "rm", "remove", "erase", "clear"),
    "omoide due": ("reminders", "remind"),
    "omoide review": ("proposals",),
    "omoide ingest FILE": ("log", "chat"),
    "omoide config NAME VALUE": ("set", "settings", "user", "login"),
    "omoide doctor": ("check", "status"),
}  # commands that there are, by what people call them elsewhere


def said_of(error: Any) -> str:
    """One line about a usage error of the parser; empty where help was printed, to which there is
    nothing to add.
    """
    said: str = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help
        print(said)  # noqa: T201
        return ""
    context: Any = getattr(error, "ctx", None)
    # without the program's name: "sessions extract"
    command = getattr(context, "command_path", "").partition(" ")[2]
    takes = context.command.params if context is not None else ()
    option = getattr(error, "option_name", None)
    if option in BEFORE and "No such option" in said:
        return f"{option} goes before the command: omoide {option} NAME {command or 'recall'} …"
    if unknown := re.match(r"No such command '(.+?)'\.", said):
        meant = next((known for known, others in MEANT.items() if unknown[1] in others), None)
        return (
            f"{unknown[0]} That is: {meant}"
            if meant and getattr(context, "parent", None) is None
            else said
        )
    if said == "Missing command.":
        return f"{said} omoide --help lists them"
    if said.startswith("Got unexpected extra argument") and any(one.name in WORDS for one in takes):
        return f'{said}: put words that belong together in quotes, as in omoide {command} "…"'
    if said.startswith("Missing argument"):
        return f"{said} omoide {command} --help shows what it takes"
    return re.sub(r" \(Possible options?: (.+)\)", r"; did you mean \1?", said)

"""What is said of a command that was typed wrong: what is wrong with it, and what was probably
meant.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

# options of all commands
BEFORE = ("--store", "--user", "-u", "--agent", "--tenant", "--session", "--context")
WORDS = frozenset({"text", "question", "goal", "task"})  # arguments that are a person's words
# commands that there are, by what people call them elsewhere
MEANT = {
    "omoide --help, or omoide COMMAND --help": ("help", "commands", "man"),
    "omoide --version": ("version",),
    'omoide remember "…"': ("add", "save", "store", "note", "learn", "init"),
    'omoide recall "…"': ("ask", "search", "find", "query", "context"),
    "omoide list": ("items", "ls", "show", "facts"),
    "omoide forget ID": ("delete", "del", "rm", "remove", "erase", "clear"),
    "omoide due": ("reminders", "remind"),
    "omoide review": ("proposals",),
    "omoide ingest FILE": ("log",),
    "omoide config NAME VALUE": ("set", "settings", "user", "login"),
    "omoide doctor": ("check", "status"),
    "omoide sessions turns SESSION": ("sessions show", "sessions get", "sessions read"),
}

# options by what people call them elsewhere
OPTIONS_MEANT = {"--preview": ("--dry-run", "--dryrun", "--dry", "--simulate")}

# for the texts of the library that reads values
OWN_WORDS = (
    (r"Input should be a valid integer.*", "must be a whole number"),
    (r"Input should be a valid number.*", "must be a number"),
    (r"Input should be greater than or equal to", "must be at least"),
    (r"Input should be less than or equal to", "must be at most"),
    (r"Input should be", "must be"),
)
NEAR = 0.75  # of names that one may be typed for another


def said_of(error: Any) -> str:
    """One line about a usage error of the parser; empty where help was printed, to which there is
    nothing to add.
    """
    said: str = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help
        print(said)  # noqa: T201
        return ""
    context: Any = getattr(error, "ctx", None)
    command = _path_of(context)
    takes = context.command.params if context is not None else ()
    option = getattr(error, "option_name", None)
    if option == "--json" and not command:
        return "--json goes after the command: omoide list --json"
    if option in BEFORE and "No such option" in said:
        return f"{option} goes before the command: omoide {option} NAME {command or 'recall'} …"
    if meant := _option_meant(option, takes):
        return f"{said.partition(' (')[0].removesuffix('.')}; did you mean {meant}?"
    if unknown := re.match(r"No such command '(.+?)'\.", said):
        return f"{unknown[0]} {_meant(unknown[1], command, context)}".rstrip()
    said = _in_own_words(said)
    if said == "Missing command.":
        return f"{said} omoide --help lists them"
    if said.startswith("Got unexpected extra argument") and any(one.name in WORDS for one in takes):
        return f'{said}: put words that belong together in quotes, as in omoide {command} "…"'
    if said.startswith(("Missing argument", "Missing option")):
        return f"{said} omoide {command} --help shows what it takes"
    if option and said.startswith("No such option"):
        return f"No such option: {option}; {_option_near(option, takes, command)}"
    return said


def _option_meant(option: str | None, takes: Any) -> str:
    """The option of a command that is called so elsewhere; empty where there is none."""
    has = {name for one in takes for name in one.opts}
    meant = (own for own, others in OPTIONS_MEANT.items() if option in others and own in has)
    return next(meant, "")


def _option_near(option: str, takes: Any, command: str) -> str:
    """The option with a name like one that is not there, or where all are listed."""
    own = [name for one in takes for name in one.opts if name.startswith("--")]
    if near := get_close_matches(option, own, n=1, cutoff=NEAR):
        return f"did you mean {near[0]}?"
    listed = f"{f'omoide {command}'.rstrip()} --help lists the options"
    if any(one.name in WORDS for one in takes):
        return f"{listed}; a text that starts with a dash goes after --"
    return listed


def _path_of(context: Any) -> str:
    """The command's words without the program's name: ``sessions extract``."""
    words: list[str] = []
    while context is not None and context.parent is not None:
        words.insert(0, context.info_name)
        context = context.parent
    return " ".join(words)


def _in_own_words(said: str) -> str:
    """What is wrong with a value, without the words of the library that reads it."""
    for theirs, ours in OWN_WORDS:
        said = re.sub(theirs, ours, said)
    return said


def _meant(word: str, group: str, context: Any) -> str:
    """What an unknown command was probably meant as: by what people call it elsewhere, by its name
    in a group, or by a name like it; in a group, else which commands it has.
    """
    typed = f"{group} {word}".strip()
    if known := next((known for known, others in MEANT.items() if typed in others), None):
        return f"That is: {known}"
    root = context.find_root().command.commands
    paths = [path for name, command in root.items() for path in _paths(name, command)]
    same = [path for path in paths if _last(path) == word]
    if len(same) == 1:
        return f"That is: omoide {same[0]}"
    inside = [path for path in paths if path.startswith(f"{group} ")] if group else []
    own = {_last(path): path for path in inside or reversed(paths)}
    if near := get_close_matches(word, own, n=1, cutoff=NEAR):
        return f"Did you mean: omoide {own[near[0]]}?"
    if inside:
        return f"omoide {group} has: {', '.join(root[group].commands)}"
    return "omoide --help lists the commands"


def _last(path: str) -> str:
    return path.rpartition(" ")[2]


def _paths(name: str, command: Any) -> list[str]:
    """A command's name, or those of a group's commands with the group's before each."""
    inner = getattr(command, "commands", None)
    return [name] if inner is None else [name, *(f"{name} {one}" for one in inner)]

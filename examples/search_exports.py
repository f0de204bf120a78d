"""Search your own chats: import exports of ChatGPT, Claude, WhatsApp and others, then ask.

python examples/search_exports.py ana Europe/Lisbon ~/Downloads/chatgpt-export.zip
"""

import sys
from pathlib import Path

from omoide import Memory, Query
from omoide.exchange import ImportOptions, Problem, read_export


def take_in(memory: Memory, export: Path, options: ImportOptions) -> None:
    """Log every conversation of an export; messages that are there already are skipped."""
    added = repeated = 0
    for found in read_export(export, options):
        if isinstance(found, Problem):
            print(f"{export.name}: {found}", file=sys.stderr)
            continue
        logged = memory.ingest(found)
        added, repeated = added + logged.added, repeated + logged.repeated
    print(f"{export.name}: {added} messages added, {repeated} known already")


def next_line() -> str:
    """What is typed next; empty at the end of the input, as after Ctrl-D."""
    try:
        return input("? ").strip()
    except EOFError:
        return ""


def search(memory: Memory, question: str) -> None:
    """Print the best turns, each with its date, speaker and session."""
    answer = memory.recall(Query(text=question, preset="best"), limit=5)
    if answer.answerable < 0.5:
        print("Probably not in your chats. The nearest:")
    for hit in answer.hits:
        speaker = hit.turn.speaker or hit.turn.role.value if hit.turn else "item"
        print(f"{hit.at:%Y-%m-%d} {speaker}: {hit.text}")


if __name__ == "__main__":
    user, zone, *exports = sys.argv[1:]
    with Memory.open("chats.db", user=user) as memory:
        for path in exports:
            take_in(memory, Path(path), ImportOptions(user=user, zone=zone))
        memory.admin.tidy(only=["vectors"])  # so that meaning counts from the first question on
        while question := next_line():
            search(memory, question)

"""What may stand in a Postgres store's schema beside its tables: the triggers and functions of its
migrations, and nothing else that changes what a statement does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from omoide.nouns.record.lines import with_article
from omoide.store.base import Row
from omoide.store.migrate import Migration

_TRIGGER = re.compile(
    r"\bTRIGGER (\w+)\s[^;]*?\sON (\w+)\s[^;]*?EXECUTE FUNCTION (\w+)\(\)", re.IGNORECASE
)
_FUNCTION = re.compile(r"\bFUNCTION (\w+)\([^$]*\$\$(.*?)\$\$", re.IGNORECASE | re.DOTALL)

Object = tuple[str, str, str, str]  # kind, name, table, and what it runs


def unlike(held: Sequence[Row], migrations: Sequence[Migration]) -> list[str]:
    """Where the triggers, rules, views and functions of a schema differ from those that these
    migrations make; empty if nowhere.
    """
    ours = expected(migrations)
    found = {(row["kind"], row["name"], row["place"], row["body"]) for row in held}
    foreign = [
        f"the schema holds {with_article(kind)} that Omoide did not make ({name!r} on {place!r})"
        for kind, name, place, _ in sorted(found - ours)
    ]
    lacking = [f"the schema lacks the {kind} {name!r}" for kind, name, *_ in sorted(ours - found)]
    return foreign + lacking


def expected(migrations: Sequence[Migration]) -> set[Object]:
    """The triggers and functions that migrations make."""
    made: set[Object] = set()
    for migration in migrations:
        made |= {
            ("trigger", name, table, function)
            for name, table, function in _TRIGGER.findall(migration.sql)
        }
        made |= {("function", name, name, body) for name, body in _FUNCTION.findall(migration.sql)}
    return made

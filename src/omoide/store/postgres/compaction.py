"""Rewrites a store's tables on the server, so that their files hold no row that was erased."""

from __future__ import annotations

import re
import time

import psycopg
from psycopg import sql

from omoide.nouns.errors import StoreBusy, StoreError
from omoide.store.postgres.connections import PostgresConnection, typed
from omoide.store.postgres.transaction import load_statements

STAYS = (
    "what was erased may stay in the server's write-ahead log until its segments are overwritten,"
    " in archived segments, on standby servers, in base backups and dumps made before, and in the"
    " server's own log if it logs statements"
)
NOT_OURS = (
    "samples of columns may stay in the server's statistics, and old files until its next"
    " checkpoint: an administrator runs VACUUM FULL pg_statistic and CHECKPOINT"
)

_PAUSE_S = 0.2  # between two tries


def compact(connection: PostgresConnection, schema: str, place: str, lock_s: float) -> list[str]:
    """Write every table and index of a schema anew; what may be left elsewhere, in words.

    Each table is locked while it is rewritten, and takes its room twice. Rows that a transaction
    begun before still sees are kept, so their tables are rewritten again when it has ended. The
    connection is closed.

    Raises:
        StoreBusy: a table is in use, or erased rows are still seen, for longer than lock_s.
        StoreError: the role does not own the tables, or there is no room.
    """
    statements = load_statements()
    try:
        (facts,) = connection.execute(statements["server.compacting"], {"schema": schema})
        if not facts["is_owner"]:
            raise StoreError(f"{place}: only the role that owns the tables can rewrite them")
        connection.execute(
            sql.SQL("SET lock_timeout TO {}").format(sql.Literal(int(lock_s * 1000)))
        )
        rows = connection.execute(statements["server.tables"], {"schema": schema}).fetchall()
        tables = [sql.Identifier(schema, row["name"]) for row in rows]
        if facts["is_superuser"]:
            tables.append(sql.Identifier("pg_catalog", "pg_statistic"))
        _rewrite(connection, tables, place, lock_s)
        if not facts["is_superuser"]:
            return [STAYS, NOT_OURS]
        connection.execute(statements["server.checkpoint"])
        return [STAYS]
    except psycopg.Error as error:
        raise typed(error, place) from None
    finally:
        connection.close()


def _rewrite(
    connection: PostgresConnection, tables: list[sql.Identifier], place: str, wait_s: float
) -> None:
    """Write tables anew, those again that had to keep deleted rows.

    Raises:
        StoreBusy: some had to for longer than wait_s.
    """
    until = time.monotonic() + wait_s
    while tables := [table for table in tables if not _write_anew(connection, table)]:
        if time.monotonic() > until:
            raise StoreBusy(
                f"{place}: a transaction is open that still sees what was erased; end it, and"
                " rewrite the tables again"
            )
        time.sleep(_PAUSE_S)


def _write_anew(connection: PostgresConnection, table: sql.Identifier) -> bool:
    """Write a table and its statistics anew; False if deleted rows had to be kept."""
    kept: list[bool] = []

    def note(notice: psycopg.errors.Diagnostic) -> None:  # which cannot be read later
        kept.append(_tells_of_kept(notice))

    connection.add_notice_handler(note)
    for name in ("server.rewrite", "server.sample"):
        connection.execute(sql.SQL(load_statements()[name].decode()).format(table=table))
    connection.remove_notice_handler(note)
    return not any(kept)


def _tells_of_kept(notice: psycopg.errors.Diagnostic) -> bool:
    """Whether the server tells of deleted rows that it had to keep: the first number there is, in
    whatever language.
    """
    number = re.search(r"\d+", notice.message_detail or "")
    return number is not None and int(number[0]) > 0

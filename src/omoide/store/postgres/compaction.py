"""Rewrites a store's tables on the server, so that their files hold no row that was erased."""

from __future__ import annotations

import psycopg
from psycopg import sql

from omoide.nouns.errors import StoreError
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


def compact(connection: PostgresConnection, schema: str, place: str, lock_s: float) -> list[str]:
    """Write every table and index of a schema anew; what may be left elsewhere, in words.

    Each table is locked while it is rewritten, and takes its room twice. The connection is closed.

    Raises:
        StoreBusy: a table is in use for longer than lock_s.
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
        for row in connection.execute(statements["server.tables"], {"schema": schema}).fetchall():
            _run(connection, "server.rewrite", sql.Identifier(schema, row["name"]))
        if not facts["is_superuser"]:
            return [STAYS, NOT_OURS]
        _run(connection, "server.rewrite", sql.Identifier("pg_catalog", "pg_statistic"))
        connection.execute(statements["server.checkpoint"])
        return [STAYS]
    except psycopg.Error as error:
        raise typed(error, place) from None
    finally:
        connection.close()


def _run(connection: PostgresConnection, statement: str, table: sql.Identifier) -> None:
    connection.execute(sql.SQL(load_statements()[statement].decode()).format(table=table))

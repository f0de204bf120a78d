"""The users table: what is set for each user."""

from __future__ import annotations

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.scope import Scope
from omoide.nouns.sender import UserRecord
from omoide.store.base import Row
from omoide.tables.rows import Rows


class UserRecords(Rows):
    """The records of users as rows, inside the caller's transaction."""

    def save(self, record: UserRecord) -> None:
        """Add a user's record, or write it anew."""
        assert record.changed_at is not None
        self._tx.run(
            "users.save",
            tenant=record.scope.tenant,
            user=record.id,
            zone=record.zone,
            changed_at=to_micros(record.changed_at),
        )

    def find(self, tenant: str, id: str) -> UserRecord | None:
        """A user's record."""
        return self._one(_record, "users.raw", tenant=tenant, user=id)

    def known(self, tenant: str, user: str | None) -> list[UserRecord]:
        """The users of a tenant (None: all of them) who have something that can be found, a linked
        sender or something set, in order.
        """
        rows = self._tx.rows("users.known", tenant=tenant, user=user or "")
        return [_known(tenant, row) for row in rows]

    def after(self, tenant: str, id: str, limit: int) -> list[UserRecord]:
        """The records of users who follow one, in order: a walk through all of a tenant."""
        return self._all(_record, "users.after", tenant=tenant, after=id, limit=limit)

    def forget(self, tenant: str, id: str) -> int:
        """Erase a user's record."""
        return self._tx.run("users.forget", tenant=tenant, user=id)


def _known(tenant: str, row: Row) -> UserRecord:
    """A user's record; an empty one of a user for whom nothing is set."""
    if row["changed_at"] is None:
        return UserRecord(scope=Scope(tenant=tenant, user=row["user_id"]))
    return _record({**row, "tenant": tenant})


def _record(row: Row) -> UserRecord:
    scope, changed_at = (
        Scope(tenant=row["tenant"], user=row["user_id"]),
        from_micros(row["changed_at"]),
    )
    return UserRecord(scope=scope, zone=row["zone"], changed_at=changed_at)

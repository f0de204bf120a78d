"""Keeps the marks of turns with standing instructions those of the table of words at work: a later
version of the table marks all turns anew, page by page.

The work can stop anywhere, and goes on there. A store that a later version has marked is left as it
is, so that two versions at one store do not take turns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from typing import TypeAlias

from omoide.grounding.instructions import table_version
from omoide.jobs.queue import Stop
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.turn import Turn
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.columns import pack_json
from omoide.tables.documents import Documents
from omoide.tables.ledger import Ledger
from omoide.tables.meta import Meta
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.write.turn_log import stands

KEY = "standing_marks"
PAGE = 500  # turns that are read in one transaction
NOTES_FORGOTTEN = 2  # from this version on, turns whose instruction was forgotten are marked so
# when each user of a tenant forgot an item last; a whole ledger is read for that, so once
_Forgotten: TypeAlias = dict[str, dict[str, datetime]]


@frozen_record
class _MarkWalk:
    """How far a version of the table has marked the turns of a store: up to a turn of a tenant, or
    all of them. before is the version that marked them earlier.
    """

    version: int
    before: int = 0
    done: bool = False
    tenant: str = ""
    session: str = ""
    position: int = -1


def mark_again(store: Store, stop: Stop) -> int:
    """Mark the turns that an earlier version of the table marked; how many marks changed."""
    changed, forgotten = 0, _Forgotten()
    while not stop() and (walk := _walk(store)) is not None:
        changed += committed(store, partial(_mark_page, walk, forgotten), tenant=None)
    return changed


def _walk(store: Store) -> _MarkWalk | None:
    """Where to go on; None if all is marked."""
    version = table_version()
    with read_only(store, None) as tx:
        kept = Meta(tx).get(KEY)
    walk = _MarkWalk(**json.loads(kept)) if kept else _MarkWalk(version=0)
    if walk.version < version:
        return _MarkWalk(version=version, before=walk.version)
    return None if walk.done or walk.version > version else walk


def _mark_page(walk: _MarkWalk, forgotten: _Forgotten, tx: Transaction) -> int:
    """Mark one page of turns, and note how far that is; how many marks changed."""
    tenant = next((name for name in sorted(Documents(tx).tenants()) if name >= walk.tenant), None)
    if tenant is None:
        _keep(tx, replace(walk, done=True))
        return 0
    if tenant != walk.tenant:
        walk = replace(walk, tenant=tenant, session="", position=-1)
    page = Turns(tx).after(tenant, walk.session, walk.position, PAGE)
    if page:
        _keep(tx, replace(walk, session=page[-1].session, position=page[-1].position))
    else:  # on to the next tenant
        _keep(tx, replace(walk, tenant=f"{tenant}\0", session="", position=-1))
    if walk.before < NOTES_FORGOTTEN and tenant not in forgotten:
        forgotten[tenant] = Ledger(tx).last_forgotten(tenant)
    marks = _marks(tx, tenant, page, forgotten.get(tenant, {}))
    return sum(Turns(tx).set_standing(tenant, turn, standing) for turn, standing in marks)


def _marks(
    tx: Transaction, tenant: str, page: Sequence[Turn], forgotten: Mapping[str, datetime]
) -> Iterator[tuple[Turn, bool]]:
    """The turns of a page, each with whether it has a standing instruction.

    Left out are those of which an earlier version may have forgotten it without a mark: a user
    forgot an item later.
    """
    sessions = {id: Sessions(tx).find(tenant, id) for id in {turn.session for turn in page}}
    for turn in page:
        session = sessions[turn.session]
        standing = session is not None and stands(session, turn)
        last = forgotten.get(turn.user or "")
        if not standing or last is None or last < turn.recorded_at:
            yield turn, standing


def _keep(tx: Transaction, walk: _MarkWalk) -> None:
    Meta(tx).set(KEY, pack_json(asdict(walk)))

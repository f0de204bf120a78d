-- A page of items by time is read along an index: the whole partition was sorted for each.
-- Safe while older code still runs: it reads as before.
CREATE INDEX items_updated ON items (tenant, user_id, updated_at, created_at, id);
CREATE INDEX items_created ON items (tenant, user_id, created_at, id);

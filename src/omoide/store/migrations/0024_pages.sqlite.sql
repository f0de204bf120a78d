-- A page of items by time is read along an index: the whole partition was sorted for each.
-- Safe while older code still runs: it reads as before.
CREATE INDEX items_updated ON items (tenant, user_id, updated_at, created_at, id);
CREATE INDEX items_created ON items (tenant, user_id, created_at, id);
-- So that the planner walks along these, however many items there are (as in 0007).
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('items', 'items_updated', '1000000 100000 1000 2 1 1'),
  ('items', 'items_created', '1000000 100000 1000 2 1');
ANALYZE sqlite_schema;

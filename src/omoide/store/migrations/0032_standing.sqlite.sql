-- What stands in every prompt is found without reading the other items of its user: the surest of a
-- category, and what is pinned. Safe while older code still runs: indexes alone.
CREATE INDEX items_standing ON items (tenant, user_id, category, confidence DESC, created_at, id);
CREATE INDEX items_pinned ON items (tenant, user_id, created_at, id) WHERE pinned = 1;
-- So that the planner walks along these, however many items there are (as in 0007).
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('items', 'items_standing', '1000000 100000 1000 100 10 2 1'),
  ('items', 'items_pinned', '1000 1000 10 2 1');
ANALYZE sqlite_schema;

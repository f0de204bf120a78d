-- What was merged into an item is found by it, and reflections can be unconfirmed, as items can.
-- Safe while older code still runs: it neither reads nor names the column, and what it adds has its default.
CREATE INDEX items_gave_way ON items (tenant, superseded_by) WHERE superseded_by <> '';
ALTER TABLE reflections ADD COLUMN unconfirmed TEXT NOT NULL DEFAULT '';  -- never confirmed
-- So that the planner looks these up by their key, however many there are (as in 0007).
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('items', 'items_gave_way', '1000000 100000 2');
ANALYZE sqlite_schema;

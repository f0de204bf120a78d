-- What was merged into an item is found by it, and reflections can be unconfirmed, as items can.
-- Safe while older code still runs: it neither reads nor names the column, and what it adds has its default.
CREATE INDEX items_gave_way ON items (tenant, superseded_by) WHERE superseded_by <> '';
ALTER TABLE reflections ADD COLUMN unconfirmed TEXT NOT NULL DEFAULT '';  -- never confirmed

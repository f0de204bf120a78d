-- Items name the nearest older item that they were added beside, so that what only looks alike is kept and still told together.
-- Safe while older code still runs: it neither reads nor names the column, and what it adds has its default.
ALTER TABLE items ADD COLUMN similar_to TEXT NOT NULL DEFAULT '';
CREATE INDEX items_similar ON items (tenant, similar_to) WHERE similar_to <> '';

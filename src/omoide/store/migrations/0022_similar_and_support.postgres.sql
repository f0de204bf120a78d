-- Items name the nearest older item that they were added beside, so that what only looks alike is kept and still told together.
-- And turns that said an item again support it, so that it stays when what said it first is forgotten.
-- Safe while older code still runs: it neither reads nor names the columns, and what it adds has their defaults.
ALTER TABLE items ADD COLUMN similar_to TEXT NOT NULL DEFAULT '';
ALTER TABLE item_sources ADD COLUMN again BIGINT NOT NULL DEFAULT 0;  -- 1: the turn said it again, after others said it first
CREATE INDEX items_similar ON items (tenant, similar_to) WHERE similar_to <> '';

-- Upkeep: how far an item's confidence was lowered for want of use, how far a session was distilled, which pairs of items
-- were judged, and when what was pruned goes for good.
-- Safe while older code still runs: it neither reads nor names these columns, and what it adds has their defaults.
ALTER TABLE items ADD COLUMN decayed_at BIGINT;  -- up to when
ALTER TABLE items ADD COLUMN purge_at BIGINT;    -- pruned: erased then, unless it is changed before
ALTER TABLE turns ADD COLUMN purge_at BIGINT;
ALTER TABLE sessions ADD COLUMN distilled_to BIGINT NOT NULL DEFAULT 0;  -- position of the first turn that is in no summary yet
CREATE INDEX items_purge ON items (tenant, purge_at) WHERE purge_at IS NOT NULL;
CREATE INDEX items_expires ON items (tenant, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX turns_purge ON turns (tenant, purge_at) WHERE purge_at IS NOT NULL;
CREATE INDEX sessions_last ON sessions (tenant, last_at);
CREATE TABLE item_pairs (
  tenant   TEXT COLLATE "C" NOT NULL,
  one_id   TEXT COLLATE "C" NOT NULL,  -- the lower id of the two
  other_id TEXT COLLATE "C" NOT NULL,
  verdict  TEXT COLLATE "C" NOT NULL,
  at       BIGINT NOT NULL,
  PRIMARY KEY (tenant, one_id, other_id)
);
CREATE INDEX item_pairs_other ON item_pairs (tenant, other_id);

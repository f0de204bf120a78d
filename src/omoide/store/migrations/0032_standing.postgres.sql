-- What stands in every prompt is found without reading the other items of its user: the surest of a
-- category, and what is pinned. Safe while older code still runs: indexes alone.
CREATE INDEX items_standing ON items (tenant, user_id, category, confidence DESC, created_at, id);
CREATE INDEX items_pinned ON items (tenant, user_id, created_at, id) WHERE pinned = 1;

-- Unconfirmed items: why one is, since when, how sure it is once confirmed, and what it does then. The mark of items that a person
-- confirmed goes: such an item is simply not unconfirmed. Stop older code first: it names columns that are renamed or gone.
ALTER TABLE items RENAME COLUMN doubted_at TO unconfirmed_at;
ALTER TABLE items ADD COLUMN unconfirmed TEXT NOT NULL DEFAULT '';  -- never confirmed, basis closed
ALTER TABLE items ADD COLUMN confirmed_confidence REAL;
ALTER TABLE items ADD COLUMN meant TEXT NOT NULL DEFAULT '';  -- JSON of what it does once it is confirmed
ALTER TABLE items DROP COLUMN confirmed;
UPDATE items SET unconfirmed = 'basis closed', confirmed_confidence = confidence WHERE unconfirmed_at IS NOT NULL;
UPDATE items SET confidence = 0.3 WHERE unconfirmed_at IS NOT NULL AND confidence > 0.3;
DROP INDEX items_doubted;
CREATE INDEX items_unconfirmed ON items (tenant, user_id, unconfirmed_at) WHERE unconfirmed <> '';
CREATE INDEX items_meant ON items (tenant, id) WHERE meant <> '';
-- So that the planner looks these up by their key, however many there are (as in 0007).
DELETE FROM sqlite_stat1 WHERE idx = 'items_doubted';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('items', 'items_unconfirmed', '1000000 100000 1000 10'),
  ('items', 'items_meant', '1000000 100000 1');
ANALYZE sqlite_schema;

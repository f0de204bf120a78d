-- An entity may go by names that only fold alike, such as Asa and Åsa: folding is for search, and tells nobody apart.
-- Safe while older code still runs: the columns stay as they are, and it never gives an entity two such names.
DROP INDEX entity_aliases_folded;
ALTER TABLE entity_aliases RENAME TO entity_aliases_before;
CREATE TABLE entity_aliases (
  tenant    TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  folded    TEXT NOT NULL,  -- what a mention is compared with
  alias     TEXT NOT NULL,
  PRIMARY KEY (tenant, entity_id, folded, alias)
) WITHOUT ROWID;
INSERT INTO entity_aliases SELECT tenant, entity_id, folded, alias FROM entity_aliases_before;
DROP TABLE entity_aliases_before;
CREATE INDEX entity_aliases_folded ON entity_aliases (tenant, folded);
-- So that the planner looks names up by their key, however many there are (as in 0007).
DELETE FROM sqlite_stat1 WHERE tbl IN ('entity_aliases', 'entity_aliases_before');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('entity_aliases', 'entity_aliases', '1000000 100000 2 1 1'),
  ('entity_aliases', 'entity_aliases_folded', '1000000 100000 2');
ANALYZE sqlite_schema;

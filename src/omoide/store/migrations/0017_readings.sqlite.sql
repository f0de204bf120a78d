-- What a reranker made of a text, so that it need not read it again when a question comes: by the first document of its record.
-- Safe while older code still runs: a reading whose document is gone is erased by doctor.
CREATE TABLE readings (
  tenant  TEXT NOT NULL,
  doc     INTEGER NOT NULL,
  reader  TEXT NOT NULL,  -- the id of the reranker
  reading BLOB NOT NULL,
  PRIMARY KEY (tenant, doc, reader)
);
-- So that the planner looks readings up by their key, however many there are (as in 0007).
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('readings', 'sqlite_autoindex_readings_1', '1000000 100000 1 1');
ANALYZE sqlite_schema;

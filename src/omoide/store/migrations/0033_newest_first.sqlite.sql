-- Vectors are read into memory in pages, the newest first, in the order of their index alone: a sort
-- would carry the vectors themselves. Documents are already, by their row. Safe while older code still
-- runs: an index alone.
DROP INDEX vectors_seq;
CREATE INDEX vectors_seq ON vectors (tenant, user_id, model, seq, doc);
-- So that the planner walks along it (as in 0007).
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('vectors', 'vectors_seq', '1000000 100000 1000 500 10 1');
ANALYZE sqlite_schema;

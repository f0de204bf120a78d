-- Documents and vectors are read into memory in pages, the newest first, in the order of their indexes
-- alone: a sort would carry words and vectors. Safe while older code still runs: indexes alone.
DROP INDEX docs_seq;
CREATE INDEX docs_seq ON docs (tenant, user_id, seq, doc);
DROP INDEX vectors_seq;
CREATE INDEX vectors_seq ON vectors (tenant, user_id, model, seq, doc);

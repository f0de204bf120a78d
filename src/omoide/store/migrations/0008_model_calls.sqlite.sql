-- Calls of language models: what for, how they ended and what they took. No text that was asked or answered.
-- Safe while older code still runs: it knows nothing of the table.
CREATE TABLE model_calls (
  tenant        TEXT NOT NULL,
  id            TEXT NOT NULL,
  purpose       TEXT NOT NULL,
  model         TEXT NOT NULL,
  outcome       TEXT NOT NULL,  -- answered, or the name of an error
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost          INTEGER,  -- millionths of a US dollar; NULL: the price is not known
  ms            INTEGER NOT NULL,
  at            INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX model_calls_at ON model_calls (at);
CREATE INDEX model_calls_tenant ON model_calls (tenant, at);
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('model_calls', 'model_calls_at', '1000000 10'),
  ('model_calls', 'model_calls_tenant', '1000000 100000 10'),
  ('model_calls', 'sqlite_autoindex_model_calls_1', '1000000 100000 1');
ANALYZE sqlite_schema;

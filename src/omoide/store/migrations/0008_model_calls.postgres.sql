-- Calls of language models: what for, how they ended and what they took. No text that was asked or answered.
-- Safe while older code still runs: it knows nothing of the table.
CREATE TABLE model_calls (
  tenant        TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  purpose       TEXT COLLATE "C" NOT NULL,
  model         TEXT COLLATE "C" NOT NULL,
  outcome       TEXT COLLATE "C" NOT NULL,  -- answered, or the name of an error
  input_tokens  BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cost          BIGINT,  -- millionths of a US dollar; NULL: the price is not known
  ms            BIGINT NOT NULL,
  at            BIGINT NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX model_calls_at ON model_calls (at);
CREATE INDEX model_calls_tenant ON model_calls (tenant, at);

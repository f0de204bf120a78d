-- Calls that agents made to tools, with their outcome. Texts are JSON, so that any character fits.
-- Safe while older code still runs: it knows nothing of the table.
CREATE TABLE tool_calls (
  tenant      TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  user_id     TEXT COLLATE "C" NOT NULL DEFAULT '',
  agent       TEXT COLLATE "C" NOT NULL DEFAULT '',
  session_id  TEXT COLLATE "C" NOT NULL DEFAULT '',
  shared      BIGINT NOT NULL DEFAULT 0,  -- seen only from within its session
  tool        TEXT COLLATE "C" NOT NULL,
  args        TEXT COLLATE "C" NOT NULL,
  result      TEXT COLLATE "C" NOT NULL,
  error       TEXT COLLATE "C" NOT NULL,
  success     BIGINT NOT NULL,
  duration_ms BIGINT,
  at          BIGINT NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX tool_calls_at ON tool_calls (tenant, user_id, at);
CREATE INDEX tool_calls_tool ON tool_calls (tenant, user_id, tool, at);
CREATE INDEX tool_calls_session ON tool_calls (tenant, session_id) WHERE session_id <> '';

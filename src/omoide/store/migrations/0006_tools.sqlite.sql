-- Calls that agents made to tools, with their outcome. Texts are JSON, so that any character fits.
-- Safe while older code still runs: it knows nothing of the table.
CREATE TABLE tool_calls (
  tenant      TEXT NOT NULL,
  id          TEXT NOT NULL,
  user_id     TEXT NOT NULL DEFAULT '',
  agent       TEXT NOT NULL DEFAULT '',
  session_id  TEXT NOT NULL DEFAULT '',
  shared      INTEGER NOT NULL DEFAULT 0,  -- seen only from within its session
  tool        TEXT NOT NULL,
  args        TEXT NOT NULL,
  result      TEXT NOT NULL,
  error       TEXT NOT NULL,
  success     INTEGER NOT NULL,
  duration_ms INTEGER,
  at          INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX tool_calls_at ON tool_calls (tenant, user_id, at);
CREATE INDEX tool_calls_tool ON tool_calls (tenant, user_id, tool, at);
CREATE INDEX tool_calls_session ON tool_calls (tenant, session_id) WHERE session_id <> '';

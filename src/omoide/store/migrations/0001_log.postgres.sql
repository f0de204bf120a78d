-- The log: sessions and their turns. Everything else is derived from it.
-- An empty text stands for "no agent, user, session, key": so keys stay plain equalities.
CREATE TABLE meta (
  key   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  value TEXT COLLATE "C" NOT NULL
);
CREATE TABLE sessions (
  tenant        TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  user_id       TEXT COLLATE "C" NOT NULL DEFAULT '',  -- whose it is; empty once a second user takes part
  agent         TEXT COLLATE "C" NOT NULL DEFAULT '',
  context       TEXT COLLATE "C" NOT NULL DEFAULT 'global',
  shared        BIGINT NOT NULL DEFAULT 0,  -- more than one user takes part
  private       BIGINT NOT NULL DEFAULT 0,
  title         TEXT COLLATE "C" NOT NULL DEFAULT '',
  channel       TEXT COLLATE "C" NOT NULL DEFAULT '',
  participants  TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  metadata      TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  origin        TEXT COLLATE "C" NOT NULL DEFAULT '',
  started_at    BIGINT,
  last_at       BIGINT,
  next_position BIGINT NOT NULL DEFAULT 0,
  recorded_at   BIGINT NOT NULL,
  hidden_at     BIGINT,  -- undone: out of recall, still in the log
  PRIMARY KEY (tenant, id)
);
CREATE INDEX sessions_user ON sessions (tenant, user_id, last_at);
CREATE TABLE turns (
  tenant      TEXT COLLATE "C" NOT NULL,
  session_id  TEXT COLLATE "C" NOT NULL,
  position    BIGINT NOT NULL,
  user_id     TEXT COLLATE "C" NOT NULL DEFAULT '',  -- whose partition; empty in shared sessions
  agent       TEXT COLLATE "C" NOT NULL DEFAULT '',
  shared      BIGINT NOT NULL DEFAULT 0,  -- seen only from within its session
  author      TEXT COLLATE "C" NOT NULL DEFAULT '',  -- canonical user who spoke
  role        TEXT COLLATE "C" NOT NULL,
  speaker     TEXT COLLATE "C" NOT NULL,
  text        TEXT COLLATE "C" NOT NULL,
  escaped     BIGINT NOT NULL DEFAULT 0,  -- text is a JSON string, for NUL and lone surrogates
  at          BIGINT NOT NULL,
  offset_s    BIGINT NOT NULL DEFAULT 0,  -- of the speaker's zone
  recorded_at BIGINT NOT NULL,
  key         TEXT COLLATE "C" NOT NULL DEFAULT '',
  metadata    TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  masks       TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  origin      TEXT COLLATE "C" NOT NULL DEFAULT '',
  hidden_at   BIGINT,
  PRIMARY KEY (tenant, session_id, position)
);
CREATE UNIQUE INDEX turns_key ON turns (tenant, session_id, key) WHERE key <> '';
CREATE INDEX turns_origin ON turns (tenant, origin) WHERE origin <> '';

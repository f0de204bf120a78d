-- What is set for a user: the time zone in which their days are meant.
-- Safe while older code still runs: it knows nothing of the table.
CREATE TABLE users (
  tenant     TEXT COLLATE "C" NOT NULL,
  user_id    TEXT COLLATE "C" NOT NULL,
  zone       TEXT COLLATE "C" NOT NULL,  -- an IANA name; empty: the setting's
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, user_id)
);

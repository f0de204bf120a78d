-- What is set for a user: the time zone in which their days are meant.
-- Safe while older code still runs: it knows nothing of the table.
CREATE TABLE users (
  tenant     TEXT NOT NULL,
  user_id    TEXT NOT NULL,
  zone       TEXT NOT NULL,  -- an IANA name; empty: the setting's
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, user_id)
) WITHOUT ROWID;

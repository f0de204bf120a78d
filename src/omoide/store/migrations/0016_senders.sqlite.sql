-- Which user each sender of a channel is. A sender that is not here is a user of its own.
-- Safe while older code still runs: it knows nothing of the table.
CREATE TABLE senders (
  tenant    TEXT NOT NULL,
  channel   TEXT NOT NULL,
  sender    TEXT NOT NULL,  -- as the channel names them: a number, an address, an id
  user_id   TEXT NOT NULL,
  linked_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, channel, sender)
) WITHOUT ROWID;
CREATE INDEX senders_user ON senders (tenant, user_id);

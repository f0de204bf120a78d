-- Which user each sender of a channel is. A sender that is not here is a user of its own.
-- Safe while older code still runs: it knows nothing of the table.
CREATE TABLE senders (
  tenant    TEXT COLLATE "C" NOT NULL,
  channel   TEXT COLLATE "C" NOT NULL,
  sender    TEXT COLLATE "C" NOT NULL,  -- as the channel names them: a number, an address, an id
  user_id   TEXT COLLATE "C" NOT NULL,
  linked_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, channel, sender)
);
CREATE INDEX senders_user ON senders (tenant, user_id);

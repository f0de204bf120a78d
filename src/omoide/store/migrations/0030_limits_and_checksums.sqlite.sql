-- How much of a text an embedder's server takes at once, once it has refused a longer one: later texts are sent in pieces of that size.
-- Safe while older code still runs: the column has a default and is unread by it.
ALTER TABLE embedders ADD COLUMN input_bytes INTEGER NOT NULL DEFAULT 0;  -- 0: not known to have a limit
-- And a checksum over what a procedure says, so that altered text is never given as if it were whole, as of items and turns.
ALTER TABLE procedures ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;  -- 0: stored before there were any

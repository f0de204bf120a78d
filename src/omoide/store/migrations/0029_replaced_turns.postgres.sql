-- Turns whose message was edited since: they leave recall and are not learnt from, and the log keeps them.
-- Safe while older code still runs: the column has a default, and older code shows such turns.
ALTER TABLE turns ADD COLUMN replaced BIGINT NOT NULL DEFAULT 0;  -- 1: a later turn of the session says what the message says now

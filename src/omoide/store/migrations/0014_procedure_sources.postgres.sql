-- Procedures say what they were made of, so that they are forgotten with it: turns, sessions, and the procedure that was handed on.
-- Safe while older code still runs: it neither reads nor names the column, and what it adds has its default.
ALTER TABLE procedures ADD COLUMN sources TEXT NOT NULL DEFAULT '[]';  -- ids, as JSON

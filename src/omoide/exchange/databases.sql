-- any.tables --
-- The names of the tables of a database.
SELECT name FROM sqlite_master WHERE type = 'table';
-- mem0.history --
-- Every version of every memory, in the order in which they were made.
SELECT * FROM history ORDER BY coalesce(updated_at, created_at), rowid;
-- mem0.messages --
-- How many recent messages are kept.
SELECT count(*) AS total FROM messages;
-- langgraph.store --
-- Every record of the store, oldest first; values may be stored as bytes.
SELECT prefix, key, CAST(value AS TEXT) AS value, created_at, updated_at, expires_at FROM store ORDER BY created_at, prefix, key;

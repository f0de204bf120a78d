-- gaia.version --
-- The schema version that the file was last migrated to.
SELECT max(version) AS version FROM schema_version;
-- gaia.knowledge --
-- Every statement, in the order in which it was made; columns differ by version.
SELECT * FROM knowledge ORDER BY created_at, id;
-- gaia.conversations --
-- Every turn, session by session, in order.
SELECT * FROM conversations ORDER BY session_id, id;
-- gaia.tool_calls --
-- How many calls of tools are on record.
SELECT count(*) AS total FROM tool_history;
-- gaia.procedures --
-- How many learnt procedures there are; from version 3 on.
SELECT count(*) AS total FROM procedures;

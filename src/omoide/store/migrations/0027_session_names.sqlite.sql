-- Sessions have a name, which is unique for who owns them, beside their id, which is unique in the store.
-- One that was imported for a user had that user's name before its own.
ALTER TABLE sessions ADD COLUMN name TEXT NOT NULL DEFAULT '';
UPDATE sessions SET name = CASE WHEN user_id <> '' AND substr(id, 1, length(user_id) + 1) = user_id || '/'
                                THEN substr(id, length(user_id) + 2) ELSE id END;
CREATE INDEX sessions_name ON sessions (tenant, name);

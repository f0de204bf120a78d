-- users.save --
-- Add the record of one user, or write it anew.
INSERT INTO users (tenant, user_id, zone, changed_at) VALUES (:tenant, :user, :zone, :changed_at)
ON CONFLICT (tenant, user_id) DO UPDATE SET zone = excluded.zone, changed_at = excluded.changed_at;
-- users.raw --
-- The record of one user.
SELECT * FROM users WHERE tenant = :tenant AND user_id = :user;
-- users.after --
-- A page of the records of all users of a tenant, by user.
SELECT * FROM users WHERE tenant = :tenant AND user_id > :after ORDER BY user_id LIMIT :limit;
-- users.forget --
-- Erase the record of one user.
DELETE FROM users WHERE tenant = :tenant AND user_id = :user;

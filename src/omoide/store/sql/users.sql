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
-- users.known --
-- The users of a tenant who have something that can be found, a linked sender or something set; with a user that one alone.
SELECT k.user_id, u.zone, u.changed_at
  FROM (SELECT p.user_id FROM partitions p WHERE p.tenant = :tenant AND p.user_id <> ''
           AND EXISTS (SELECT 1 FROM docs d WHERE d.tenant = p.tenant AND d.user_id = p.user_id)
        UNION SELECT user_id FROM users WHERE tenant = :tenant
        UNION SELECT user_id FROM senders WHERE tenant = :tenant) k
  LEFT JOIN users u ON u.tenant = :tenant AND u.user_id = k.user_id
 WHERE :user IN ('', k.user_id) ORDER BY k.user_id;
-- users.forget --
-- Erase the record of one user.
DELETE FROM users WHERE tenant = :tenant AND user_id = :user;

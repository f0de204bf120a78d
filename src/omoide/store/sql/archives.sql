-- foreign_ledgers.set --
-- Set how many entries of a foreign ledger are kept, and the hash over them.
INSERT INTO foreign_ledgers (tenant, id, made_at, head, entries, hash) VALUES (:tenant, :id, :made_at, :head, :entries, :hash)
ON CONFLICT (tenant, id) DO UPDATE SET entries = excluded.entries, hash = excluded.hash;
-- foreign_ledgers.get --
-- One foreign ledger.
SELECT * FROM foreign_ledgers WHERE tenant = :tenant AND id = :id;
-- foreign_ledgers.all --
-- The foreign ledgers of a tenant, in the order in which they were loaded.
SELECT * FROM foreign_ledgers WHERE tenant = :tenant ORDER BY id;
-- foreign_changes.add --
-- Keep one entry of a foreign ledger.
INSERT INTO foreign_changes (tenant, ledger, seq, id, at, action, kind, record, user_id, session_id, actor, cause, content, told, hash)
VALUES (:tenant, :ledger, :seq, :id, :at, :action, :kind, :record, :user_id, :session_id, :actor, :cause, :content, :told, :hash);
-- foreign_changes.after --
-- A stretch of a foreign ledger in order.
SELECT * FROM foreign_changes WHERE tenant = :tenant AND ledger = :ledger AND seq > :after ORDER BY seq LIMIT :limit;
-- foreign_changes.of_record --
-- What happened to one record of a user before it was loaded, oldest first.
SELECT * FROM foreign_changes WHERE tenant = :tenant AND record = :record AND user_id = :user ORDER BY at, id;
-- foreign_changes.between --
-- What happened elsewhere to a user's records between two moments, oldest first.
SELECT * FROM foreign_changes
 WHERE tenant = :tenant AND user_id IN ('', :user) AND at > :since AND at <= :until ORDER BY at, id LIMIT :limit;
-- exports.add --
-- Note an archive that was written.
INSERT INTO exports (tenant, id, made_at, user_id, agent, everything, name, head)
VALUES (:tenant, :id, :made_at, :user, :agent, :everything, :name, :head);
-- exports.of_user --
-- The archives that were written of a user, or of the whole tenant, oldest first.
SELECT * FROM exports WHERE tenant = :tenant AND (everything = 1 OR user_id = :user) ORDER BY made_at, id;

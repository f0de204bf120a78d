-- proposals.add --
-- Let a proposal wait.
INSERT INTO proposals (tenant, id, user_id, agent, session_id, context, operation, target, item, flags, origin, made_at, expires_at)
VALUES (:tenant, :id, :user, :agent, :session_id, :context, :operation, :target, :item, :flags, :origin, :made_at, :expires_at);
-- proposals.get --
-- One proposal the asker may see.
SELECT * FROM proposals WHERE tenant = :tenant AND id = :id AND user_id IN ('', :user) AND agent IN ('', :agent);
-- proposals.list --
-- The asker's proposals that have not expired, oldest first, after an id.
SELECT * FROM proposals
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND expires_at > :now AND id > :after ORDER BY id LIMIT :limit;
-- proposals.alike --
-- Proposals of exactly one place that have not expired, with the same operation and target and a text as JSON (empty: no item), oldest first.
SELECT * FROM proposals
 WHERE tenant = :tenant AND user_id = :user AND agent = :agent AND context = :context AND expires_at > :now
   AND operation = :operation AND target = :target AND (CAST(:text AS TEXT) = '' OR replace(item, :text, '') <> item) ORDER BY id;
-- proposals.count --
-- How many proposals wait for the asker's word.
SELECT count(*) AS total FROM proposals WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND expires_at > :now;
-- proposals.expired --
-- A tenant's proposals whose time is over.
SELECT * FROM proposals WHERE tenant = :tenant AND expires_at <= :now ORDER BY id;
-- proposals.of_tenant --
-- All proposals of a tenant.
SELECT * FROM proposals WHERE tenant = :tenant ORDER BY id;
-- proposals.reword --
-- Let a proposal be worded otherwise.
UPDATE proposals SET item = :item, flags = :flags, origin = :origin WHERE tenant = :tenant AND id = :id;
-- proposals.forget --
-- Take a proposal away.
DELETE FROM proposals WHERE tenant = :tenant AND id = :id;

-- proposals.add --
-- Let a proposal wait.
INSERT INTO proposals (tenant, id, user_id, agent, session_id, context, operation, target, item, flags, origin, made_at, expires_at,
                       kind, made, only_session)
VALUES (:tenant, :id, :user, :agent, :session_id, :context, :operation, :target, :item, :flags, :origin, :made_at, :expires_at,
        :kind, :made, :only_session);
-- proposals.get --
-- One proposal that waits and the asker may see.
SELECT * FROM proposals
 WHERE tenant = :tenant AND id = :id AND user_id IN ('', :user) AND agent IN ('', :agent) AND settled_at IS NULL
   AND (only_session = '' OR user_id <> '' OR only_session = :session);
-- proposals.find --
-- One proposal, waiting or settled, whoever asks: for the write path.
SELECT * FROM proposals WHERE tenant = :tenant AND id = :id;
-- proposals.list --
-- The asker's proposals that wait, oldest first, after an id.
SELECT * FROM proposals
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND settled_at IS NULL AND expires_at > :now
   AND (only_session = '' OR user_id <> '' OR only_session = :session) AND id > :after ORDER BY id LIMIT :limit;
-- proposals.alike --
-- Proposals of exactly one place that wait, with the same operation and target and a text as JSON (empty: no record), oldest first.
SELECT * FROM proposals
 WHERE tenant = :tenant AND user_id = :user AND agent = :agent AND context = :context AND settled_at IS NULL AND expires_at > :now
   AND operation = :operation AND target = :target AND (CAST(:text AS TEXT) = '' OR replace(item || made, :text, '') <> item || made)
 ORDER BY id;
-- proposals.of_kind --
-- Proposals of one kind of record in exactly one place, waiting or settled, latest first.
SELECT * FROM proposals
 WHERE tenant = :tenant AND user_id = :user AND agent = :agent AND only_session = :session AND context = :context AND kind = :kind
 ORDER BY made_at DESC, id DESC;
-- proposals.count --
-- How many proposals wait for the asker's word.
SELECT count(*) AS total FROM proposals
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND settled_at IS NULL AND expires_at > :now
   AND (only_session = '' OR user_id <> '' OR only_session = :session);
-- proposals.expired --
-- A tenant's proposals that wait although their time is over.
SELECT * FROM proposals WHERE tenant = :tenant AND settled_at IS NULL AND expires_at <= :now ORDER BY id;
-- proposals.waiting --
-- A tenant's proposals of one kind of record that wait.
SELECT * FROM proposals WHERE tenant = :tenant AND kind = :kind AND settled_at IS NULL ORDER BY id;
-- proposals.after --
-- A page of all proposals of a tenant, waiting or settled, by id.
SELECT * FROM proposals WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit;
-- proposals.of_user --
-- All proposals of one user, waiting or settled.
SELECT * FROM proposals WHERE tenant = :tenant AND user_id = :user ORDER BY id;
-- proposals.reword --
-- Let a proposal be worded otherwise, or be of another session.
UPDATE proposals SET item = :item, made = :made, flags = :flags, origin = :origin, session_id = :session_id
 WHERE tenant = :tenant AND id = :id;
-- proposals.settle --
-- Let a proposal wait no more, and be kept; changes no row if it waits no more already. Its time ends, so that no older code takes it up.
UPDATE proposals SET settled_at = :at, expires_at = CASE WHEN expires_at < :at THEN expires_at ELSE :at END
 WHERE tenant = :tenant AND id = :id AND settled_at IS NULL;
-- proposals.wake --
-- Let a proposal wait again until a time; changes no row if it waits already.
UPDATE proposals SET settled_at = NULL, expires_at = :expires_at WHERE tenant = :tenant AND id = :id AND settled_at IS NOT NULL;
-- proposals.purge --
-- Erase what was settled before a time.
DELETE FROM proposals WHERE tenant = :tenant AND settled_at <= :before;
-- proposals.forget --
-- Take a proposal away.
DELETE FROM proposals WHERE tenant = :tenant AND id = :id;
-- proposals.held --
-- One row if any of them still holds a piece of text, of all tenants.
SELECT 1 AS held FROM proposals WHERE replace(item, :piece, '') <> item
    OR replace(made, :piece, '') <> made
    OR replace(origin, :piece, '') <> origin LIMIT 1;

-- reflections.add --
-- Add one reflection.
INSERT INTO reflections (tenant, id, user_id, agent, only_session, context, text, quote, escaped, quote_start, quote_end, tier, salt,
       formed_at, absorbed_at, digest, withdrawn_at, unconfirmed)
VALUES (:tenant, :id, :user, :agent, :session, :context, :text, :quote, :escaped, :quote_start, :quote_end, :tier, :salt, :formed_at,
       :absorbed_at, :digest, :withdrawn_at, :unconfirmed);
-- reflections.raw --
-- One reflection, whoever asks: for the write path.
SELECT * FROM reflections WHERE tenant = :tenant AND id = :id;
-- reflections.list --
-- The reflections an asker sees that stand, latest first.
SELECT * FROM reflections
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session)
   AND withdrawn_at IS NULL AND (:absorbed = 1 OR absorbed_at IS NULL) AND (:context = '' OR context IN ('global', :context))
 ORDER BY formed_at DESC, id DESC LIMIT :limit;
-- reflections.waiting --
-- The reflections of exactly one scope that are not absorbed yet, oldest first.
SELECT * FROM reflections
 WHERE tenant = :tenant AND user_id = :user AND agent = :agent AND only_session = :session AND context = :context
   AND absorbed_at IS NULL AND withdrawn_at IS NULL AND unconfirmed = ''
 ORDER BY formed_at, id LIMIT :limit;
-- reflections.newest --
-- The latest reflections of exactly one scope that are not absorbed yet.
SELECT * FROM reflections
 WHERE tenant = :tenant AND user_id = :user AND agent = :agent AND only_session = :session AND context = :context
   AND absorbed_at IS NULL AND withdrawn_at IS NULL
 ORDER BY formed_at DESC, id DESC LIMIT :limit;
-- reflections.count_waiting --
-- How many reflections of exactly one scope are not absorbed yet.
SELECT count(*) AS total FROM reflections
 WHERE tenant = :tenant AND user_id = :user AND agent = :agent AND only_session = :session AND context = :context
   AND absorbed_at IS NULL AND withdrawn_at IS NULL AND unconfirmed = '';
-- reflections.scopes --
-- The scopes of which an asker sees reflections that stand, with how many there are and when the last one was formed.
SELECT tenant, user_id, agent, only_session, context, count(*) AS total, max(formed_at) AS formed_at
  FROM reflections
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session)
   AND withdrawn_at IS NULL AND (:context = '' OR context IN ('global', :context))
 GROUP BY tenant, user_id, agent, only_session, context
 ORDER BY agent, user_id, only_session, context;
-- reflections.buffers --
-- The scopes of a tenant in which reflections wait to be condensed, with how many, in their order.
SELECT tenant, user_id, agent, only_session, context, count(*) AS total, max(formed_at) AS formed_at
  FROM reflections
 WHERE tenant = :tenant AND absorbed_at IS NULL AND withdrawn_at IS NULL AND unconfirmed = ''
 GROUP BY tenant, user_id, agent, only_session, context
 ORDER BY user_id, agent, only_session, context;
-- reflections.absorb --
-- Mark a reflection as absorbed by a digest, unless it is already, or withdrawn.
UPDATE reflections SET absorbed_at = :at, digest = :digest
 WHERE tenant = :tenant AND id = :id AND absorbed_at IS NULL AND withdrawn_at IS NULL;
-- reflections.free --
-- Let the reflections that a digest absorbed wait again.
UPDATE reflections SET absorbed_at = NULL, digest = '' WHERE tenant = :tenant AND digest = :digest AND digest <> '';
-- reflections.withdraw --
-- Take a reflection out of what stands, or with NULL bring it back.
UPDATE reflections SET withdrawn_at = CAST(:at AS BIGINT) WHERE tenant = :tenant AND id = :id;
-- reflections.mark --
-- Set whether a reflection is unconfirmed.
UPDATE reflections SET unconfirmed = :unconfirmed WHERE tenant = :tenant AND id = :id;
-- reflections.unconfirmed --
-- The unconfirmed reflections an asker sees, oldest first.
SELECT * FROM reflections
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND only_session IN ('', :session)
   AND withdrawn_at IS NULL AND unconfirmed <> ''
 ORDER BY formed_at, id LIMIT :limit;
-- reflections.never_confirmed --
-- Reflections that nobody confirmed, formed before a time.
SELECT * FROM reflections WHERE tenant = :tenant AND unconfirmed <> '' AND withdrawn_at IS NULL AND formed_at <= :before
 ORDER BY formed_at, id LIMIT :limit;
-- reflections.rewrite --
-- Replace a reflection's texts by the same with their secrets masked.
UPDATE reflections SET text = :text, quote = :quote, escaped = :escaped WHERE tenant = :tenant AND id = :id;
-- reflections.of_turn --
-- Every reflection that rests on a turn.
SELECT r.* FROM reflections r JOIN reflection_sources s ON s.tenant = r.tenant AND s.reflection_id = r.id
 WHERE s.tenant = :tenant AND s.session_id = :session_id AND s.position = :position ORDER BY r.id;
-- reflections.of_user --
-- Every reflection of one user, those of their sessions too.
SELECT * FROM reflections WHERE tenant = :tenant AND user_id = :user ORDER BY id;
-- reflections.only_in --
-- Every reflection of one session.
SELECT * FROM reflections WHERE tenant = :tenant AND only_session = :id ORDER BY id;
-- reflections.after --
-- A page of all reflections of a tenant, by id.
SELECT * FROM reflections WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit;
-- reflections.forget --
-- Erase a reflection.
DELETE FROM reflections WHERE tenant = :tenant AND id = :id;
-- reflections.held --
-- One row if any of them still holds a piece of text, of all tenants.
SELECT 1 AS held FROM reflections WHERE replace(text, :piece, '') <> text OR replace(quote, :piece, '') <> quote LIMIT 1;
-- reflection_sources.add --
-- Note a turn that a reflection rests on.
INSERT INTO reflection_sources (tenant, reflection_id, session_id, position) VALUES (:tenant, :reflection_id, :session_id, :position);
-- reflection_sources.forget --
-- Erase which turns a reflection rests on.
DELETE FROM reflection_sources WHERE tenant = :tenant AND reflection_id = :reflection_id;
-- digests.add --
-- Add one version of a digest.
INSERT INTO digests (tenant, id, user_id, agent, only_session, context, kind, version, text, escaped, word_limit, tier, model, dropped, salt,
       made_at, withdrawn_at)
VALUES (:tenant, :id, :user, :agent, :session, :context, :kind, :version, :text, :escaped, :word_limit, :tier, :model, :dropped, :salt,
       :made_at, :withdrawn_at);
-- digests.raw --
-- One version, whoever asks: for the write path.
SELECT * FROM digests WHERE tenant = :tenant AND id = :id;
-- digests.versions --
-- Every version of exactly one scope and kind, latest first.
SELECT * FROM digests
 WHERE tenant = :tenant AND user_id = :user AND agent = :agent AND only_session = :session AND context = :context AND kind = :kind
 ORDER BY version DESC;
-- digests.current --
-- The version in force of exactly one scope and kind.
SELECT * FROM digests
 WHERE tenant = :tenant AND user_id = :user AND agent = :agent AND only_session = :session AND context = :context AND kind = :kind
   AND withdrawn_at IS NULL
 ORDER BY version DESC LIMIT 1;
-- digests.latest --
-- The highest version of exactly one scope and kind, withdrawn or not; 0 if there is none.
SELECT coalesce(max(version), 0) AS version FROM digests
 WHERE tenant = :tenant AND user_id = :user AND agent = :agent AND only_session = :session AND context = :context AND kind = :kind;
-- digests.list --
-- The digests an asker sees, of each the version in force.
SELECT d.* FROM digests d
 WHERE d.tenant = :tenant AND d.user_id IN ('', :user) AND d.agent IN ('', :agent) AND d.only_session IN ('', :session)
   AND d.withdrawn_at IS NULL AND (:context = '' OR d.context IN ('global', :context))
   AND NOT EXISTS (SELECT 1 FROM digests n WHERE n.tenant = d.tenant AND n.user_id = d.user_id AND n.agent = d.agent
       AND n.only_session = d.only_session AND n.context = d.context AND n.kind = d.kind AND n.version > d.version AND n.withdrawn_at IS NULL)
 ORDER BY d.agent, d.user_id, d.only_session, d.context, d.kind;
-- digests.of_user --
-- Every version of one user, those of their sessions too.
SELECT * FROM digests WHERE tenant = :tenant AND user_id = :user ORDER BY id;
-- digests.only_in --
-- Every version of one session.
SELECT * FROM digests WHERE tenant = :tenant AND only_session = :id ORDER BY id;
-- digests.after --
-- A page of all versions of all digests of a tenant, by id.
SELECT * FROM digests WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit;
-- digests.withdraw --
-- Take a version out of force, or with NULL bring it back.
UPDATE digests SET withdrawn_at = CAST(:at AS BIGINT) WHERE tenant = :tenant AND id = :id;
-- digests.rewrite --
-- Replace a version's texts by the same with their secrets masked.
UPDATE digests SET text = :text, escaped = :escaped, dropped = :dropped WHERE tenant = :tenant AND id = :id;
-- digests.forget --
-- Erase a version.
DELETE FROM digests WHERE tenant = :tenant AND id = :id;
-- digests.held --
-- One row if any of them still holds a piece of text, of all tenants.
SELECT 1 AS held FROM digests WHERE replace(text, :piece, '') <> text LIMIT 1;
-- digest_sources.add --
-- Note what a version was made from.
INSERT INTO digest_sources (tenant, digest_id, source) VALUES (:tenant, :digest_id, :source);
-- digest_sources.forget --
-- Erase what a version was made from.
DELETE FROM digest_sources WHERE tenant = :tenant AND digest_id = :digest_id;

-- sessions.add --
-- Begin a session. Changes no row if it is already there.
INSERT INTO sessions (tenant, id, name, user_id, agent, context, shared, private, title, channel, participants, metadata, origin, recorded_at)
VALUES (:tenant, :id, :name, :user, :agent, :context, :shared, :private, :title, :channel, :participants, :metadata, :origin, :recorded_at)
ON CONFLICT (tenant, id) DO NOTHING;
-- sessions.get --
-- One session, whoever asks: for the write path, which decides by its users.
SELECT * FROM sessions WHERE tenant = :tenant AND id = :id;
-- sessions.named --
-- The sessions of a tenant that somebody calls by a name, and the one that has it for its id.
SELECT * FROM sessions WHERE tenant = :tenant AND (name = :name OR id = :id) ORDER BY id;
-- sessions.teaches --
-- Whether something may be made of a session that lasts beyond it: it is neither private nor of several users nor undone.
SELECT private = 0 AND shared = 0 AND hidden_at IS NULL AS teaches FROM sessions WHERE tenant = :tenant AND id = :id;
-- sessions.lock --
-- One session, whoever asks, its row held until commit.
UPDATE sessions SET recorded_at = recorded_at WHERE tenant = :tenant AND id = :id RETURNING *;
-- sessions.visible --
-- One session as the asker may see it: their own, one of no user, or the shared one they ask from.
SELECT * FROM sessions
 WHERE tenant = :tenant AND id = :id AND hidden_at IS NULL AND agent IN ('', :agent)
   AND ((shared = 0 AND user_id IN ('', :user)) OR (shared = 1 AND id = :session));
-- sessions.describe --
-- Set what is said about a session, and who takes part.
UPDATE sessions SET user_id = :user, shared = :shared, private = :private, title = :title, channel = :channel,
       participants = :participants, metadata = :metadata
 WHERE tenant = :tenant AND id = :id;
-- sessions.reserve --
-- Take the next positions of a session and move its clock; the row stays locked until commit. One that was hidden is seen again.
UPDATE sessions SET next_position = next_position + CAST(:count AS BIGINT), waiting = waiting + CAST(:count AS BIGINT),
       weight = weight + CAST(:weight AS BIGINT), hidden_at = NULL,
       started_at = CASE WHEN started_at IS NULL OR started_at > CAST(:first_at AS BIGINT) THEN CAST(:first_at AS BIGINT) ELSE started_at END,
       last_at = CASE WHEN last_at IS NULL OR last_at < CAST(:last_at AS BIGINT) THEN CAST(:last_at AS BIGINT) ELSE last_at END
 WHERE tenant = :tenant AND id = :id
RETURNING next_position, waiting, weight;
-- sessions.extract --
-- Count a session as learnt from up to a position, if it still stands where it did; so two never learn from the same turns.
UPDATE sessions SET extracted_to = CASE WHEN extracted_to < CAST(:end AS BIGINT) THEN CAST(:end AS BIGINT) ELSE extracted_to END,
       waiting = CASE WHEN waiting > CAST(:turns AS BIGINT) THEN waiting - CAST(:turns AS BIGINT) ELSE 0 END,
       weight = CASE WHEN weight > CAST(:weight AS BIGINT) THEN weight - CAST(:weight AS BIGINT) ELSE 0 END
 WHERE tenant = :tenant AND id = :id AND extracted_to = :stood RETURNING *;
-- sessions.unlearnt --
-- Sessions at rest, in no line, with turns that nothing was learnt from, private and undone ones aside, the fullest first.
SELECT s.* FROM sessions s
 WHERE s.tenant = :tenant AND s.last_at <= :before AND (CAST(:after AS BIGINT) IS NULL OR s.last_at >= CAST(:after AS BIGINT))
   AND s.private = 0 AND s.hidden_at IS NULL AND s.extracted_to < s.next_position
   AND (CAST(:user AS TEXT) IS NULL OR s.user_id = CAST(:user AS TEXT))
   AND EXISTS (SELECT 1 FROM turns t
                WHERE t.tenant = s.tenant AND t.session_id = s.id AND t.position >= s.extracted_to AND t.hidden_at IS NULL
                  AND (CAST(:recorded AS BIGINT) IS NULL OR t.recorded_at >= CAST(:recorded AS BIGINT)))
   AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.tenant = s.tenant AND j.id = :job || s.id)
 ORDER BY s.waiting DESC, s.last_at, s.id LIMIT :limit;
-- sessions.reflected_to --
-- Up to which position reflections were formed from a session, and facts were extracted.
SELECT reflected_to, extracted_to FROM sessions WHERE tenant = :tenant AND id = :id;
-- sessions.reflect --
-- Count a session as reflected on up to a position, if it stands where it stood.
UPDATE sessions SET reflected_to = CASE WHEN reflected_to < CAST(:end AS BIGINT) THEN CAST(:end AS BIGINT) ELSE reflected_to END
 WHERE tenant = :tenant AND id = :id AND reflected_to = :stood;
-- sessions.reach --
-- Let a session's next position be no lower than one, and its time span include a time; what is before was learnt from elsewhere.
UPDATE sessions SET next_position = CASE WHEN next_position < CAST(:position AS BIGINT) THEN CAST(:position AS BIGINT) ELSE next_position END,
       extracted_to = CASE WHEN extracted_to < CAST(:position AS BIGINT) THEN CAST(:position AS BIGINT) ELSE extracted_to END,
       started_at = CASE WHEN started_at IS NULL OR started_at > CAST(:at AS BIGINT) THEN CAST(:at AS BIGINT) ELSE started_at END,
       last_at = CASE WHEN last_at IS NULL OR last_at < CAST(:at AS BIGINT) THEN CAST(:at AS BIGINT) ELSE last_at END
 WHERE tenant = :tenant AND id = :id;
-- sessions.hide --
-- Take a session out of recall, or with no time bring it back.
UPDATE sessions SET hidden_at = CAST(:at AS BIGINT) WHERE tenant = :tenant AND id = :id;
-- sessions.list --
-- The asker's sessions, latest first, with the number of turns they see and the start of the first thing a user said.
SELECT s.*,
       (SELECT count(*) FROM turns t
         WHERE t.tenant = s.tenant AND t.session_id = s.id AND t.user_id IN ('', :user) AND t.agent IN ('', :agent)
           AND t.hidden_at IS NULL) AS turns,
       (SELECT CASE WHEN (t.escaped & 1) = 1 THEN '' ELSE substr(t.text, 1, 120) END FROM turns t
         WHERE t.tenant = s.tenant AND t.session_id = s.id AND t.user_id IN ('', :user) AND t.agent IN ('', :agent)
           AND t.hidden_at IS NULL AND t.role = 'user'
         ORDER BY t.position LIMIT 1) AS preview
  FROM sessions s
 WHERE s.tenant = :tenant AND s.hidden_at IS NULL AND s.agent IN ('', :agent)
   AND ((s.shared = 0 AND s.user_id IN ('', :user)) OR (s.shared = 1 AND s.id = :session))
 ORDER BY s.last_at IS NULL, s.last_at DESC, s.id LIMIT :limit OFFSET :offset;
-- sessions.of_user --
-- Every session that one user has alone.
SELECT * FROM sessions WHERE tenant = :tenant AND user_id = :user AND shared = 0 ORDER BY id;
-- sessions.of_origin --
-- Every session that one import made.
SELECT * FROM sessions WHERE tenant = :tenant AND origin = :origin ORDER BY id;
-- sessions.shared --
-- The shared sessions of a tenant.
SELECT * FROM sessions WHERE tenant = :tenant AND shared = 1 ORDER BY id;
-- sessions.after --
-- A page of all sessions of a tenant, by id.
SELECT * FROM sessions WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit;
-- sessions.shorten --
-- Let a session whose turns were erased be of those left: their time, the origin of the first, and hidden if all of them are.
UPDATE sessions SET waiting = CASE WHEN waiting > CAST(:count AS BIGINT) THEN waiting - CAST(:count AS BIGINT) ELSE 0 END,
       weight = CASE WHEN weight > CAST(:weight AS BIGINT) THEN weight - CAST(:weight AS BIGINT) ELSE 0 END,
       started_at = coalesce((SELECT min(t.at) FROM turns t WHERE t.tenant = sessions.tenant AND t.session_id = sessions.id), started_at),
       last_at = coalesce((SELECT max(t.at) FROM turns t WHERE t.tenant = sessions.tenant AND t.session_id = sessions.id), last_at),
       origin = coalesce((SELECT t.origin FROM turns t WHERE t.tenant = sessions.tenant AND t.session_id = sessions.id
                           ORDER BY t.position LIMIT 1), ''),
       hidden_at = coalesce(hidden_at, (SELECT max(t.hidden_at) FROM turns t
                                         WHERE t.tenant = sessions.tenant AND t.session_id = sessions.id HAVING count(*) = count(t.hidden_at)))
 WHERE tenant = :tenant AND id = :id;
-- sessions.forget --
-- Erase a session's row.
DELETE FROM sessions WHERE tenant = :tenant AND id = :id;
-- sessions.held --
-- One row if any of them still holds a piece of text, of all tenants.
SELECT 1 AS held FROM sessions WHERE replace(title, :piece, '') <> title
    OR replace(channel, :piece, '') <> channel
    OR replace(participants, :piece, '') <> participants
    OR replace(metadata, :piece, '') <> metadata LIMIT 1;
-- turns.add --
-- Append one turn.
INSERT INTO turns (tenant, session_id, position, user_id, agent, shared, author, role, speaker, text, escaped, at, offset_s,
                   recorded_at, key, metadata, masks, origin, standing)
VALUES (:tenant, :session_id, :position, :user, :agent, :shared, :author, :role, :speaker, :text, :escaped, :at, :offset_s,
        :recorded_at, :key, :metadata, :masks, :origin, :standing);
-- turns.standing --
-- One user's own turns with a standing instruction, as known at a time, the newest first; none for which a preference stands by now.
SELECT t.* FROM turns t JOIN sessions s ON s.tenant = t.tenant AND s.id = t.session_id
 WHERE t.tenant = :tenant AND t.user_id = :user AND t.standing = 1 AND t.author = :user AND t.agent IN ('', :agent) AND t.shared = 0
   AND t.hidden_at IS NULL AND t.replaced = 0 AND t.recorded_at <= :known
   AND s.context IN ('global', :context) AND (s.private = 0 OR s.id = :session)
   AND NOT EXISTS (SELECT 1 FROM item_sources r JOIN items i ON i.tenant = r.tenant AND i.id = r.item_id
        WHERE r.tenant = t.tenant AND r.session_id = t.session_id AND r.position = t.position
          AND i.category = 'preference' AND i.recorded_at <= :known)
 ORDER BY t.at DESC, t.session_id, t.position DESC LIMIT :limit;
-- turns.stand_no_more --
-- Let what a turn asks for no longer stand in every prompt.
UPDATE turns SET standing = -1 WHERE tenant = :tenant AND session_id = :session_id AND position = :position;
-- turns.set_standing --
-- Note whether a turn has a standing instruction; not of one whose instruction was forgotten. Changes no row that says so already.
UPDATE turns SET standing = :standing WHERE tenant = :tenant AND session_id = :session_id AND position = :position AND standing = 1 - :standing;
-- turns.get --
-- One turn the asker may see.
SELECT * FROM turns
 WHERE tenant = :tenant AND session_id = :session_id AND position = :position AND user_id IN ('', :user) AND agent IN ('', :agent)
   AND (shared = 0 OR session_id = :session) AND hidden_at IS NULL;
-- turns.raw --
-- One turn, whoever asks: for the write path.
SELECT * FROM turns WHERE tenant = :tenant AND session_id = :session_id AND position = :position;
-- turns.of_session --
-- The turns of one session that the asker may see, in order.
SELECT * FROM turns
 WHERE tenant = :tenant AND session_id = :session_id AND user_id IN ('', :user) AND agent IN ('', :agent)
   AND (shared = 0 OR session_id = :session) AND hidden_at IS NULL AND position >= :first
 ORDER BY position LIMIT :limit;
-- turns.window --
-- Where the last user turns of a session begin, of those that the asker may see; none where the session has fewer.
SELECT position FROM turns
 WHERE tenant = :tenant AND session_id = :session_id AND user_id IN ('', :user) AND agent IN ('', :agent)
   AND (shared = 0 OR session_id = :session) AND hidden_at IS NULL AND replaced = 0 AND role = 'user'
 ORDER BY position DESC LIMIT 1 OFFSET :before;
-- turns.shown_from --
-- The turns of a session from a position on that were neither undone nor edited since, in order, whoever asks: for the write path.
SELECT * FROM turns
 WHERE tenant = :tenant AND session_id = :session_id AND position >= :first AND hidden_at IS NULL AND replaced = 0
 ORDER BY position LIMIT :limit;
-- turns.versions --
-- The turns of a session that have a key, or one made of it with a time after an @, in order.
SELECT * FROM turns
 WHERE tenant = :tenant AND session_id = :session_id AND key >= :key AND key < :key || 'A' AND (key = :key OR key >= :key || '@')
 ORDER BY position;
-- turns.replace --
-- Note that a turn's message was edited since, or not.
UPDATE turns SET replaced = :replaced WHERE tenant = :tenant AND session_id = :session_id AND position = :position;
-- turns.all_of_session --
-- Every turn of one session in order, whoever asks: for the write path and the archive.
SELECT * FROM turns WHERE tenant = :tenant AND session_id = :session_id ORDER BY position;
-- turns.stretch --
-- The turns of one session from a position up to another, in order, whoever asks.
SELECT * FROM turns WHERE tenant = :tenant AND session_id = :session_id AND position >= :first AND position < :until ORDER BY position;
-- turns.recent --
-- The asker's turns since a time, oldest first; those of private sessions only from within.
SELECT * FROM turns
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND (shared = 0 OR session_id = :session)
   AND hidden_at IS NULL AND at >= :since
   AND NOT EXISTS (SELECT 1 FROM sessions s
        WHERE s.tenant = turns.tenant AND s.id = turns.session_id AND s.private = 1 AND s.id <> :session)
 ORDER BY at, session_id, position LIMIT :limit;
-- turns.with_metadata --
-- The documents and metadata of the asker's turns that have any, or with bare of all of them.
SELECT d.doc, t.metadata FROM turns t JOIN docs d ON d.tenant = t.tenant AND d.kind = 'turn' AND d.ref = t.session_id || '#' || t.position
 WHERE t.tenant = :tenant AND t.user_id IN ('', :user) AND t.agent IN ('', :agent) AND (t.shared = 0 OR t.session_id = :session)
   AND t.hidden_at IS NULL AND (:bare = 1 OR t.metadata <> '{}');
-- turns.rewrite --
-- Replace a turn's text by the same text with its secrets masked: the one change a turn may see.
UPDATE turns SET text = :text, escaped = :escaped, masks = :masks WHERE tenant = :tenant AND session_id = :session_id AND position = :position;
-- turns.relabel --
-- Set what stands about a turn beside its text, as it is with secrets masked. The key of a hidden turn stays marked.
UPDATE turns SET speaker = :speaker, metadata = :metadata,
       key = CASE WHEN hidden_at IS NULL OR :key = '' THEN :key ELSE :mark || position || ':' || :key END
 WHERE tenant = :tenant AND session_id = :session_id AND position = :position;
-- turns.hide --
-- Take turns out of recall, or with no time bring them back. Meanwhile their keys, marked, do not keep the same messages from being logged anew.
UPDATE turns SET hidden_at = CAST(:at AS BIGINT),
       key = CASE WHEN key = '' THEN '' WHEN CAST(:at AS BIGINT) IS NULL THEN substr(key, length(:mark || position || ':') + 1)
                  ELSE :mark || position || ':' || key END
 WHERE tenant = :tenant AND session_id = :session_id AND position >= :first AND position < :end
   AND (hidden_at IS NULL) = (CAST(:at AS BIGINT) IS NOT NULL) AND purge_at IS NULL;
-- turns.shown --
-- How many turns of a session are not hidden.
SELECT count(*) AS total FROM turns WHERE tenant = :tenant AND session_id = :session_id AND hidden_at IS NULL;
-- turns.forget --
-- Erase one turn.
DELETE FROM turns WHERE tenant = :tenant AND session_id = :session_id AND position = :position;
-- turns.count --
-- How many turns and sessions the asker's partitions hold, and from when to when.
SELECT count(*) AS turns, count(DISTINCT session_id) AS sessions, min(at) AS first_at, max(at) AS last_at FROM turns
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND (shared = 0 OR session_id = :session) AND hidden_at IS NULL;
-- turns.of_user --
-- Every turn of one user's partition, in order.
SELECT * FROM turns WHERE tenant = :tenant AND user_id = :user ORDER BY session_id, position;
-- turns.by_author --
-- Every turn one user spoke in shared sessions.
SELECT * FROM turns WHERE tenant = :tenant AND shared = 1 AND author = :user ORDER BY session_id, position;
-- turns.after --
-- A page of all turns of a tenant, by session and position.
SELECT * FROM turns WHERE tenant = :tenant AND (session_id > :session_id OR (session_id = :session_id AND position > :position))
 ORDER BY session_id, position LIMIT :limit;
-- turns.of_origin --
-- Every turn that one import or document brought.
SELECT * FROM turns WHERE tenant = :tenant AND origin = :origin AND origin <> '' ORDER BY session_id, position;
-- turns.held --
-- One row if any of them still holds a piece of text, of all tenants.
SELECT 1 AS held FROM turns WHERE replace(text, :piece, '') <> text
    OR replace(speaker, :piece, '') <> speaker
    OR replace(metadata, :piece, '') <> metadata
    OR replace(key, :piece, '') <> key LIMIT 1;

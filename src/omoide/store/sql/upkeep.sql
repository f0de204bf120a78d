-- items.unused --
-- Open, unpinned items of a partition above the least confidence of their tier, that were neither written, recalled nor lowered since a time, by id.
SELECT id, confidence, tier, updated_at, recorded_at, last_used_at, decayed_at FROM items
 WHERE tenant = :tenant AND user_id = :user AND superseded_at IS NULL AND pinned = 0 
   AND confidence > CASE tier WHEN 2 THEN CAST(:user_least AS DOUBLE PRECISION) WHEN 1 THEN CAST(:agent_least AS DOUBLE PRECISION)
                              ELSE CAST(:document_least AS DOUBLE PRECISION) END
   AND updated_at <= :before AND recorded_at <= :before AND (last_used_at IS NULL OR last_used_at <= :before)
   AND (decayed_at IS NULL OR decayed_at <= :before)
 ORDER BY id LIMIT :limit;
-- items.decay --
-- Lower an item's confidence by a factor.
UPDATE items SET confidence = confidence * CAST(:factor AS DOUBLE PRECISION), decayed_at = :at WHERE tenant = :tenant AND id = :id;
-- items.scale --
-- Multiply an item's confidence, up to 1, or 0.3 while it is unconfirmed. When it was lowered stays, so that it is not lowered again at once.
UPDATE items SET confidence = CASE WHEN unconfirmed <> '' AND confidence * CAST(:factor AS DOUBLE PRECISION) > 0.3 THEN 0.3
                                   WHEN confidence * CAST(:factor AS DOUBLE PRECISION) > 1.0 THEN 1.0
                                   ELSE confidence * CAST(:factor AS DOUBLE PRECISION) END
 WHERE tenant = :tenant AND id = :id;
-- items.shift --
-- Move an item's confidence within 0 and 1, or 0.3 while it is unconfirmed.
UPDATE items SET confidence = CASE WHEN unconfirmed <> '' AND confidence + CAST(:delta AS DOUBLE PRECISION) > 0.3 THEN 0.3
                                   WHEN confidence + CAST(:delta AS DOUBLE PRECISION) > 1.0 THEN 1.0
                                   WHEN confidence + CAST(:delta AS DOUBLE PRECISION) < 0.0 THEN 0.0
                                   ELSE confidence + CAST(:delta AS DOUBLE PRECISION) END
 WHERE tenant = :tenant AND id = :id;
-- pairs.add --
-- Note that a pair of items was judged. Changes no row if it was already.
INSERT INTO item_pairs (tenant, one_id, other_id, verdict, at) VALUES (:tenant, :one, :other, :verdict, :at) ON CONFLICT DO NOTHING;
-- pairs.of_partition --
-- The judged pairs of a partition whose first item is still held.
SELECT p.one_id, p.other_id FROM items i JOIN item_pairs p ON p.tenant = i.tenant AND p.one_id = i.id
 WHERE i.tenant = :tenant AND i.user_id = :user AND i.superseded_at IS NULL;
-- pairs.others --
-- The items that one was judged with.
SELECT other_id AS id FROM item_pairs WHERE tenant = :tenant AND one_id = :item
 UNION ALL SELECT one_id AS id FROM item_pairs WHERE tenant = :tenant AND other_id = :item
 ORDER BY id;
-- pairs.forget --
-- Erase the judged pairs that an item is in.
DELETE FROM item_pairs WHERE tenant = :tenant AND (one_id = :item OR other_id = :item);
-- sessions.to_distil --
-- Sessions at rest since a time, private ones aside, that have so many turns in no summary yet; those that rest longest first.
SELECT s.* FROM sessions s
 WHERE s.tenant = :tenant AND s.last_at <= :before AND s.private = 0 AND s.hidden_at IS NULL AND s.distilled_to < s.next_position
   AND (SELECT count(*) FROM turns t
         WHERE t.tenant = s.tenant AND t.session_id = s.id AND t.position >= s.distilled_to AND t.hidden_at IS NULL) >= :least
 ORDER BY s.last_at, s.id LIMIT :limit;
-- sessions.distil --
-- Count a session as summed up to a position, if it still stands where it did; so two never sum up the same turns.
UPDATE sessions SET distilled_to = :end WHERE tenant = :tenant AND id = :id AND distilled_to = :stood;
-- sessions.to_prune --
-- Sessions at rest since a time that hold nothing that was not learnt from, and summed up where there is enough of it; private talk forms nothing.
SELECT s.* FROM sessions s
 WHERE s.tenant = :tenant AND s.last_at <= :before AND s.recorded_at <= :before AND s.hidden_at IS NULL
   AND (s.private = 1
     OR (NOT EXISTS (SELECT 1 FROM turns t
              WHERE t.tenant = s.tenant AND t.session_id = s.id AND t.position >= s.extracted_to AND t.hidden_at IS NULL)
         AND (SELECT count(*) FROM turns t
               WHERE t.tenant = s.tenant AND t.session_id = s.id AND t.position >= s.distilled_to AND t.hidden_at IS NULL) < :least))
 ORDER BY s.last_at, s.id LIMIT :limit;
-- sessions.resting --
-- How many sessions are at rest since a time and not pruned.
SELECT count(*) AS total FROM sessions s
 WHERE s.tenant = :tenant AND s.last_at <= :before AND s.recorded_at <= :before AND s.hidden_at IS NULL;
-- turns.archive --
-- Take turns out of recall until they are erased at a time; of those that were taken out before, nothing changes.
UPDATE turns SET hidden_at = :at, purge_at = :purge_at, key = CASE WHEN key = '' THEN '' ELSE :mark || position || ':' || key END
 WHERE tenant = :tenant AND session_id = :session_id AND position >= :first AND position < :end AND hidden_at IS NULL
RETURNING position;
-- turns.unarchive --
-- Bring turns back that were archived and are still there.
UPDATE turns SET hidden_at = NULL, purge_at = NULL, key = CASE WHEN key = '' THEN '' ELSE substr(key, length(:mark || position || ':') + 1) END
 WHERE tenant = :tenant AND session_id = :session_id AND position >= :first AND position < :end AND purge_at > 0
RETURNING position;
-- turns.to_purge --
-- Archived turns whose time is over.
SELECT * FROM turns WHERE tenant = :tenant AND purge_at > 0 AND purge_at <= :now ORDER BY session_id, position LIMIT :limit;
-- turns.purge --
-- Erase what was said; that it was, by whom and when stays, so that forgetting finds what was learnt from it.
UPDATE turns SET text = '', escaped = 0, metadata = '{}', masks = '[]', purge_at = 0
 WHERE tenant = :tenant AND session_id = :session_id AND position = :position AND purge_at > 0;
-- items.archive --
-- Erase an item at a time, unless it is changed before.
UPDATE items SET purge_at = :purge_at WHERE tenant = :tenant AND id = :id;
-- items.faded --
-- Open, unpinned items that are hardly believed and that nothing happened to since a time; what expired and is archived stays open.
SELECT * FROM items
 WHERE tenant = :tenant AND superseded_at IS NULL AND purge_at IS NULL AND pinned = 0 AND confidence < :less AND updated_at <= :before AND recorded_at <= :before
   AND (last_used_at IS NULL OR last_used_at <= :before)
 ORDER BY id LIMIT :limit;
-- items.beyond --
-- Open items of a tenant that are more than so many of one user and agent, the least sure first; pinned ones and those still due are counted and stay.
SELECT id FROM (
  SELECT id, confidence, row_number() OVER (
           PARTITION BY user_id, agent
           ORDER BY pinned DESC, CASE WHEN due_at > :now THEN 1 ELSE 0 END DESC, confidence DESC, coalesce(last_used_at, updated_at) DESC, id DESC
         ) AS place, pinned, due_at
    FROM items WHERE tenant = :tenant AND superseded_at IS NULL AND purge_at IS NULL
) ranked
 WHERE place > CAST(:most AS BIGINT) AND pinned = 0 AND (due_at IS NULL OR due_at <= :now)
 ORDER BY confidence, id LIMIT :limit;
-- items.to_purge --
-- Archived items whose time is over.
SELECT * FROM items WHERE tenant = :tenant AND purge_at <= :now ORDER BY purge_at, id LIMIT :limit;
-- tools.to_prune --
-- Whose calls, made up to a time, are not pruned yet.
SELECT DISTINCT user_id FROM tool_calls WHERE tenant = :tenant AND at <= :before AND purge_at IS NULL ORDER BY user_id;
-- tools.archive --
-- Take one user's calls made up to a time out of all reads until they are erased at another.
UPDATE tool_calls SET purge_at = :purge_at WHERE tenant = :tenant AND user_id = :user AND at <= :before AND purge_at IS NULL;
-- tools.unarchive --
-- Bring one user's calls back that were to be erased at a time.
UPDATE tool_calls SET purge_at = NULL WHERE tenant = :tenant AND user_id = :user AND at <= :before AND purge_at = :purge_at;
-- tools.archived --
-- How many of one user's calls are to be erased at a time.
SELECT count(*) AS total FROM tool_calls WHERE tenant = :tenant AND user_id = :user AND at <= :before AND purge_at = :purge_at;
-- tools.purge --
-- Erase the calls whose time in the archive is over.
DELETE FROM tool_calls WHERE tenant = :tenant AND purge_at <= :now;

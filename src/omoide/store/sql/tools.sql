-- tools.add --
-- Note one call of a tool.
INSERT INTO tool_calls (tenant, id, user_id, agent, session_id, shared, tool, args, result, error, success, duration_ms, at, purge_at)
VALUES (:tenant, :id, :user, :agent, :session_id, :shared, :tool, :args, :result, :error, :success, :duration_ms, :at, :purge_at);
-- tools.calls --
-- The asker's calls, of one tool or of all, failed ones or all, latest first.
SELECT * FROM tool_calls
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND (shared = 0 OR session_id = :session)
   AND (CAST(:tool AS TEXT) = '' OR tool = :tool) AND (:failed = 0 OR success = 0) AND purge_at IS NULL
 ORDER BY at DESC, id DESC LIMIT :limit;
-- tools.runs --
-- The asker's latest calls in logged sessions, latest first; those in private sessions, in ones of several users and in undone ones aside.
SELECT c.* FROM tool_calls c JOIN sessions s ON s.tenant = c.tenant AND s.id = c.session_id
 WHERE c.tenant = :tenant AND c.user_id IN ('', :user) AND c.agent IN ('', :agent) AND c.shared = 0
   AND c.purge_at IS NULL AND s.private = 0 AND s.shared = 0 AND s.hidden_at IS NULL
 ORDER BY c.at DESC, c.id DESC LIMIT :limit;
-- tools.held --
-- All calls of a tenant, or those for one user, in order.
SELECT * FROM tool_calls WHERE tenant = :tenant AND (:everything = 1 OR user_id = :user) ORDER BY at, id;
-- tools.after --
-- A page of all calls of a tenant, by id.
SELECT * FROM tool_calls WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit;
-- tools.summary --
-- What the asker's calls of each tool add up to, with the last error, most called first.
SELECT t.tool, count(*) AS calls, sum(t.success) AS successes, avg(t.duration_ms) AS average_ms, max(t.at) AS last_at,
       (SELECT f.error FROM tool_calls f
         WHERE f.tenant = :tenant AND f.tool = t.tool AND f.success = 0 AND f.user_id IN ('', :user) AND f.agent IN ('', :agent)
           AND (f.shared = 0 OR f.session_id = :session) AND f.purge_at IS NULL
         ORDER BY f.at DESC, f.id DESC LIMIT 1) AS last_error
  FROM tool_calls t
 WHERE t.tenant = :tenant AND t.user_id IN ('', :user) AND t.agent IN ('', :agent) AND (t.shared = 0 OR t.session_id = :session)
   AND t.purge_at IS NULL
 GROUP BY t.tool ORDER BY count(*) DESC, t.tool;
-- tools.per_day --
-- The asker's calls, and failed ones, on each day since a time; a day is counted from 1970, on a clock so much ahead of UTC.
SELECT (at + CAST(:ahead AS BIGINT)) / 86400000000 AS day, count(*) AS calls, sum(1 - success) AS errors FROM tool_calls
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND (shared = 0 OR session_id = :session) AND at >= :since
   AND purge_at IS NULL
 GROUP BY day ORDER BY day;
-- tools.callers --
-- Whose tools were called since a time, for whom and by which agent; calls in private sessions aside.
SELECT DISTINCT c.user_id, c.agent FROM tool_calls c
 WHERE c.tenant = :tenant AND c.user_id <> '' AND c.shared = 0 AND c.at >= :since AND c.purge_at IS NULL
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.tenant = c.tenant AND s.id = c.session_id AND (s.private = 1 OR s.hidden_at IS NOT NULL))
 ORDER BY c.user_id, c.agent;
-- tools.own --
-- The latest calls for one user by one agent since a time, latest first; those in private sessions aside.
SELECT c.* FROM tool_calls c
 WHERE c.tenant = :tenant AND c.user_id = :user AND c.agent = :agent AND c.shared = 0 AND c.at >= :since AND c.purge_at IS NULL
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.tenant = c.tenant AND s.id = c.session_id AND (s.private = 1 OR s.hidden_at IS NOT NULL))
 ORDER BY c.at DESC, c.id DESC LIMIT :limit;
-- tools.talk --
-- How much a user said to one agent since a time; in private sessions aside.
SELECT count(*) AS messages FROM sessions s JOIN turns t ON t.tenant = s.tenant AND t.session_id = s.id
 WHERE s.tenant = :tenant AND s.user_id = :user AND s.last_at >= :since AND s.private = 0 AND s.hidden_at IS NULL
   AND t.user_id = :user AND t.agent = :agent AND t.role = 'user' AND t.shared = 0 AND t.at >= :since AND t.hidden_at IS NULL;
-- tools.raw --
-- One call, whoever asks: for the write path.
SELECT * FROM tool_calls WHERE tenant = :tenant AND id = :id;
-- tools.made_in --
-- A call made in one session, if there is any.
SELECT id FROM tool_calls WHERE tenant = :tenant AND session_id = :session_id AND session_id <> '' LIMIT 1;
-- tools.forget --
-- Erase one call.
DELETE FROM tool_calls WHERE tenant = :tenant AND id = :id;
-- tools.mask --
-- Write the texts of a call.
UPDATE tool_calls SET args = :args, result = :result, error = :error WHERE tenant = :tenant AND id = :id;
-- tools.tenants --
-- Every tenant with calls: each found from the one before by the key, however many calls there are.
WITH RECURSIVE found (tenant) AS (
  SELECT min(tenant) FROM tool_calls
  UNION ALL
  SELECT (SELECT min(c.tenant) FROM tool_calls c WHERE c.tenant > found.tenant) FROM found WHERE found.tenant IS NOT NULL
)
SELECT tenant FROM found WHERE tenant IS NOT NULL ORDER BY tenant;
-- tool_calls.held --
-- One row if any of them still holds a piece of text, of all tenants.
SELECT 1 AS held FROM tool_calls WHERE replace(args, :piece, '') <> args
    OR replace(result, :piece, '') <> result
    OR replace(error, :piece, '') <> error LIMIT 1;

-- jobs.add --
-- Enqueue a job, or ask once more for the one enqueued, so that a run that began earlier does not end it.
INSERT INTO jobs (tenant, id, kind, user_id, agent, session_id, args, run_at) VALUES (:tenant, :id, :kind, :user, :agent, :session_id, :args, :run_at)
ON CONFLICT (tenant, id) DO UPDATE SET wanted = jobs.wanted + 1, state = CASE WHEN jobs.state = 'dead' THEN 'ready' ELSE jobs.state END;
-- jobs.schedule --
-- Enqueue a job, or ask once more for the one enqueued and move its time; one that failed runs no sooner than its next try.
INSERT INTO jobs (tenant, id, kind, user_id, agent, session_id, args, run_at) VALUES (:tenant, :id, :kind, :user, :agent, :session_id, :args, :run_at)
ON CONFLICT (tenant, id) DO UPDATE SET wanted = jobs.wanted + 1, args = excluded.args,
       run_at = CASE WHEN jobs.state = 'ready' AND jobs.error <> '' AND jobs.run_at > excluded.run_at THEN jobs.run_at ELSE excluded.run_at END,
       state = CASE WHEN jobs.state = 'dead' THEN 'ready' ELSE jobs.state END;
-- jobs.repeat --
-- Enqueue a job that comes again and again; one whose schedule is another now, or that gave up, takes its time anew.
INSERT INTO jobs (tenant, id, kind, user_id, agent, session_id, args, run_at) VALUES (:tenant, :id, :kind, :user, :agent, :session_id, :args, :run_at)
ON CONFLICT (tenant, id) DO UPDATE SET wanted = jobs.wanted + 1, args = excluded.args, run_at = excluded.run_at,
       state = CASE WHEN jobs.state = 'dead' THEN 'ready' ELSE jobs.state END
 WHERE jobs.args <> excluded.args OR jobs.state = 'dead';
-- jobs.args --
-- What a job was enqueued with.
SELECT args FROM jobs WHERE tenant = :tenant AND id = :id;
-- jobs.cancel --
-- Take a job away that no worker is at, and say when it would have been done.
DELETE FROM jobs WHERE tenant = :tenant AND id = :id AND state <> 'leased' RETURNING kind, user_id, args, run_at;
-- jobs.state --
-- How a job stands, and whether somebody is at it.
SELECT state, CASE WHEN state = 'leased' AND lease_until > :now THEN 1 ELSE 0 END AS at_work FROM jobs WHERE tenant = :tenant AND id = :id;
-- jobs.take --
-- Lease one job that nobody is at, whatever its time; it is made if there is none.
INSERT INTO jobs (tenant, id, kind, user_id, agent, session_id, args, run_at, state, lease_until, attempts)
VALUES (:tenant, :id, :kind, :user, :agent, :session_id, :args, :run_at, 'leased', :lease_until, 1)
ON CONFLICT (tenant, id) DO UPDATE SET state = 'leased', lease_until = excluded.lease_until, attempts = jobs.attempts + 1
 WHERE jobs.state <> 'leased' RETURNING *;
-- jobs.hold --
-- Keep a lease until another time, if it is still ours.
UPDATE jobs SET lease_until = :lease_until
 WHERE tenant = :tenant AND id = :id AND attempts = :attempts AND state = 'leased' AND lease_until > :now;
-- jobs.finish --
-- Take a finished job away, if the lease is still ours and nobody asked again.
DELETE FROM jobs
 WHERE tenant = :tenant AND id = :id AND attempts = :attempts AND state = 'leased' AND lease_until > :now AND wanted = :wanted;
-- jobs.again --
-- Let a finished job wait for its next time, if the lease is still ours; with NULL for the time it was asked again for.
UPDATE jobs SET state = 'ready', lease_until = NULL, failures = 0, failed_at = NULL, error = '', answer = '',
       run_at = coalesce(CAST(:run_at AS BIGINT), run_at)
 WHERE tenant = :tenant AND id = :id AND attempts = :attempts AND state = 'leased' AND lease_until > :now;
-- jobs.fail --
-- Put a failed job back for later, or without a time aside for good, unless it was asked for again meanwhile.
UPDATE jobs SET state = CASE WHEN CAST(:run_at AS BIGINT) IS NULL AND wanted = :wanted THEN 'dead' ELSE 'ready' END, lease_until = NULL,
       run_at = coalesce(CAST(:run_at AS BIGINT), run_at), failures = :failures, failed_at = :failed_at, error = :error, answer = :answer
 WHERE tenant = :tenant AND id = :id AND attempts = :attempts AND state = 'leased';
-- jobs.give_back --
-- Let others do a job, as if it had not been claimed.
UPDATE jobs SET state = 'ready', lease_until = NULL WHERE tenant = :tenant AND id = :id AND attempts = :attempts AND state = 'leased';
-- jobs.leave --
-- Let a job be as it was before it was taken; one that was asked for meanwhile is ready.
UPDATE jobs SET state = CASE WHEN wanted = :wanted THEN CAST(:state AS TEXT) ELSE 'ready' END, lease_until = NULL
 WHERE tenant = :tenant AND id = :id AND attempts = :attempts AND state = 'leased';
-- jobs.unmake --
-- Take a job away that was made to be taken, unless it was asked for meanwhile.
DELETE FROM jobs WHERE tenant = :tenant AND id = :id AND attempts = :attempts AND state = 'leased' AND wanted = :wanted;
-- jobs.end --
-- Take a job away that has nothing left to do, if the lease is still ours, however often it was asked for.
DELETE FROM jobs WHERE tenant = :tenant AND id = :id AND attempts = :attempts AND state = 'leased' AND lease_until > :now;
-- jobs.next_at --
-- When the next job of a kind becomes ready, or a lease on one runs out.
SELECT min(run_at) AS run_at FROM jobs WHERE state = 'ready' AND kind = :kind AND run_at > :now
 UNION ALL SELECT min(lease_until) AS run_at FROM jobs WHERE state = 'leased' AND kind = :kind AND lease_until > :now;
-- jobs.page --
-- Jobs in a state (empty text: in any), of the asker and of nobody in particular, with whole the store's own, too, in the order of their times; one whose lease ran out is ready.
SELECT id, kind, CASE WHEN state = 'leased' AND lease_until <= CAST(:now AS BIGINT) THEN 'ready' ELSE state END AS state,
       user_id, session_id, run_at, failures, failed_at, error, length(answer) AS answered FROM jobs
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent)
   AND (user_id <> '' OR agent <> '' OR session_id <> '' OR kind IN ('upkeep', 'analyse') OR CAST(:whole AS INTEGER) = 1)
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.tenant = jobs.tenant AND s.id = jobs.session_id
        AND (s.agent NOT IN ('', :agent) OR (s.shared = 1 AND s.id <> :session AND (s.user_id = '' OR s.user_id <> :user))))
   AND (CAST(:state AS TEXT) = '' OR CASE WHEN state = 'leased' AND lease_until <= CAST(:now AS BIGINT) THEN 'ready' ELSE state END = :state)
 ORDER BY run_at, id LIMIT :limit;
-- jobs.answer --
-- What a model said that made a job fail.
SELECT answer FROM jobs
 WHERE tenant = :tenant AND id = :id AND user_id IN ('', :user) AND agent IN ('', :agent)
   AND (user_id <> '' OR agent <> '' OR session_id <> '' OR CAST(:whole AS INTEGER) = 1)
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.tenant = jobs.tenant AND s.id = jobs.session_id
        AND (s.agent NOT IN ('', :agent) OR (s.shared = 1 AND s.id <> :session AND (s.user_id = '' OR s.user_id <> :user))));
-- jobs.after --
-- The texts that jobs hold, in the order of their ids.
SELECT * FROM jobs WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit;
-- jobs.mask --
-- Write the texts that a job holds.
UPDATE jobs SET args = :args, answer = :answer WHERE tenant = :tenant AND id = :id;
-- jobs.to_replay --
-- Jobs that gave up, and those that wait for another try; the asker's, or with everything all; by id or kind, where these are not NULL.
SELECT tenant, id FROM jobs
 WHERE (state = 'dead' OR (state = 'ready' AND error <> ''))
   AND (:everything = 1 OR (tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent)
   AND (user_id <> '' OR agent <> '' OR session_id <> '' OR kind IN ('upkeep', 'analyse') OR CAST(:whole AS INTEGER) = 1)
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.tenant = jobs.tenant AND s.id = jobs.session_id
        AND (s.agent NOT IN ('', :agent) OR (s.shared = 1 AND s.id <> :session AND (s.user_id = '' OR s.user_id <> :user))))))
   AND (CAST(:id AS TEXT) IS NULL OR id = :id) AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind) ORDER BY tenant, id;
-- jobs.replay --
-- Let a job be tried at once that waits for another try, or that gave up: this one as if it had never failed.
UPDATE jobs SET state = 'ready', run_at = :now, failures = CASE WHEN state = 'dead' THEN 0 ELSE failures END, error = '', answer = ''
 WHERE tenant = :tenant AND id = :id AND state IN ('dead', 'ready');
-- jobs.waiting --
-- Jobs by kind and state, with the time of the one that has waited longest.
SELECT kind, state, count(*) AS total, min(run_at) AS since FROM jobs WHERE tenant = :tenant GROUP BY kind, state ORDER BY kind, state;
-- jobs.seen --
-- The asker's jobs, and those of nobody in particular, by kind and state; one whose lease ran out is ready.
SELECT kind, stands AS state, count(*) AS total, min(run_at) AS since FROM
       (SELECT kind, run_at, CASE WHEN state = 'leased' AND lease_until <= CAST(:now AS BIGINT) THEN 'ready' ELSE state END AS stands
          FROM jobs WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent)
   AND (user_id <> '' OR agent <> '' OR session_id <> '' OR kind IN ('upkeep', 'analyse') OR CAST(:whole AS INTEGER) = 1)
   AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.tenant = jobs.tenant AND s.id = jobs.session_id
        AND (s.agent NOT IN ('', :agent) OR (s.shared = 1 AND s.id <> :session AND (s.user_id = '' OR s.user_id <> :user))))) AS j GROUP BY kind, stands ORDER BY kind, stands;
-- jobs.raw --
-- One job, whoever asks: for the write path.
SELECT * FROM jobs WHERE tenant = :tenant AND id = :id;
-- jobs.of_user --
-- A user's jobs of one kind (empty: of any).
SELECT * FROM jobs WHERE tenant = :tenant AND user_id = :user AND (CAST(:kind AS TEXT) = '' OR kind = :kind) ORDER BY id;
-- jobs.forget --
-- Erase one job.
DELETE FROM jobs WHERE tenant = :tenant AND id = :id;
-- jobs.forget_answers --
-- Erase what a model said in a user's jobs.
UPDATE jobs SET answer = '' WHERE tenant = :tenant AND user_id = :user AND answer <> '';
-- jobs.forget_answers_about --
-- Erase what a model said about a session.
UPDATE jobs SET answer = '' WHERE tenant = :tenant AND session_id = :session_id AND session_id <> '' AND answer <> '';

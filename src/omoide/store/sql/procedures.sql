-- procedures.add --
-- Add one procedure.
INSERT INTO procedures (tenant, id, user_id, agent, name, when_to_use, discovery, activation, steps, tools, tags, provenance, origin, confidence,
                        successes, attempts, version, enabled, superseded_by, created_at, last_used_at,
                        sources, tier, checksum)
VALUES (:tenant, :id, :user, :agent, :name, :when_to_use, :discovery, :activation, :steps, :tools, :tags, :provenance, :origin, :confidence,
        :successes, :attempts, :version, :enabled, :superseded_by, :created_at, :last_used_at, :sources, :tier, :checksum);
-- procedures.get --
-- One procedure the asker may see.
SELECT * FROM procedures WHERE tenant = :tenant AND id = :id AND user_id IN ('', :user) AND agent IN ('', :agent);
-- procedures.raw --
-- One procedure, whoever asks: for the write path.
SELECT * FROM procedures WHERE tenant = :tenant AND id = :id;
-- procedures.list --
-- The asker's procedures, all or those that may be recalled, latest first.
SELECT * FROM procedures
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND (:current = 0 OR (enabled = 1 AND superseded_by = ''))
 ORDER BY created_at DESC, id DESC LIMIT :limit;
-- procedures.count --
-- How many procedures of the asker may be recalled, and how many are switched off; superseded ones aside.
SELECT coalesce(sum(enabled), 0) AS enabled, count(*) AS total FROM procedures
 WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) AND superseded_by = '';
-- procedures.set --
-- Set what of a procedure may change.
UPDATE procedures SET enabled = :enabled, superseded_by = :superseded_by, successes = :successes, attempts = :attempts,
       last_used_at = CAST(:last_used_at AS BIGINT)
 WHERE tenant = :tenant AND id = :id;
-- procedures.mask --
-- Write a procedure's texts.
UPDATE procedures SET name = :name, when_to_use = :when_to_use, discovery = :discovery, activation = :activation, steps = :steps,
       tools = :tools, tags = :tags, checksum = :checksum
 WHERE tenant = :tenant AND id = :id;
-- procedures.use --
-- Note that a procedure was recalled.
UPDATE procedures SET last_used_at = :at WHERE tenant = :tenant AND id = :id;
-- procedures.vectors --
-- The vectors of an embedder of the asker's procedures.
SELECT v.procedure_id, v.numbers FROM procedures p
  JOIN procedure_vectors v ON v.tenant = p.tenant AND v.procedure_id = p.id AND v.model = :model
 WHERE p.tenant = :tenant AND p.user_id IN ('', :user) AND p.agent IN ('', :agent);
-- procedures.add_vector --
-- Store a procedure's vector; changes no row if it has one of this embedder.
INSERT INTO procedure_vectors (tenant, procedure_id, model, numbers) VALUES (:tenant, :procedure_id, :model, :numbers) ON CONFLICT DO NOTHING;
-- procedures.after --
-- A page of all procedures of a tenant, by id.
SELECT * FROM procedures WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit;
-- procedures.of_user --
-- Every procedure of one user.
SELECT * FROM procedures WHERE tenant = :tenant AND user_id = :user ORDER BY id;
-- procedures.forget --
-- Erase one procedure.
DELETE FROM procedures WHERE tenant = :tenant AND id = :id;
-- procedures.forget_vectors --
-- Erase a procedure's vectors.
DELETE FROM procedure_vectors WHERE tenant = :tenant AND procedure_id = :procedure_id;
-- procedures.held --
-- One row if any of them still holds a piece of text, of all tenants.
SELECT 1 AS held FROM procedures WHERE replace(name, :piece, '') <> name
    OR replace(when_to_use, :piece, '') <> when_to_use
    OR replace(discovery, :piece, '') <> discovery
    OR replace(activation, :piece, '') <> activation
    OR replace(steps, :piece, '') <> steps
    OR replace(tools, :piece, '') <> tools
    OR replace(tags, :piece, '') <> tags LIMIT 1;

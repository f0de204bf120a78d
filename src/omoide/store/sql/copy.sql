-- copy.read_meta --
-- A page of all meta, in the order of their key, for moving a store.
SELECT key, value
  FROM meta WHERE key > :key ORDER BY key LIMIT :limit;
-- copy.add_meta --
-- One of the meta, as it was.
INSERT INTO meta (key, value)
VALUES (:key, :value);
-- copy.read_sessions --
-- A page of all sessions, in the order of their key, for moving a store.
SELECT tenant, id, name, user_id, agent, context, shared, private, title, channel, participants, metadata, origin, started_at, last_at,
       next_position, recorded_at, hidden_at, extracted_to, waiting, weight, distilled_to, reflected_to
  FROM sessions WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_sessions --
-- One of the sessions, as it was.
INSERT INTO sessions (tenant, id, name, user_id, agent, context, shared, private, title, channel, participants, metadata, origin, started_at,
       last_at, next_position, recorded_at, hidden_at, extracted_to, waiting, weight, distilled_to, reflected_to)
VALUES (:tenant, :id, :name, :user_id, :agent, :context, :shared, :private, :title, :channel, :participants, :metadata, :origin, :started_at,
       :last_at, :next_position, :recorded_at, :hidden_at, :extracted_to, :waiting, :weight, :distilled_to, :reflected_to);
-- copy.read_turns --
-- A page of all turns, in the order of their key, for moving a store.
SELECT tenant, session_id, position, user_id, agent, shared, author, role, speaker, text, escaped, at, offset_s, recorded_at, key, metadata,
       masks, origin, hidden_at, purge_at, replaced, standing
  FROM turns WHERE (tenant, session_id, position) > (:tenant, :session_id, :position) ORDER BY tenant, session_id, position LIMIT :limit;
-- copy.add_turns --
-- One of the turns, as it was.
INSERT INTO turns (tenant, session_id, position, user_id, agent, shared, author, role, speaker, text, escaped, at, offset_s, recorded_at,
       key, metadata, masks, origin, hidden_at, purge_at, replaced, standing)
VALUES (:tenant, :session_id, :position, :user_id, :agent, :shared, :author, :role, :speaker, :text, :escaped, :at, :offset_s, :recorded_at,
       :key, :metadata, :masks, :origin, :hidden_at, :purge_at, :replaced, :standing);
-- copy.read_item_sources --
-- A page of all item_sources, in the order of their key, for moving a store.
SELECT tenant, item_id, session_id, position, again
  FROM item_sources WHERE (tenant, item_id, session_id, position) > (:tenant, :item_id, :session_id, :position) ORDER BY tenant, item_id,
       session_id, position LIMIT :limit;
-- copy.add_item_sources --
-- One of the item_sources, as it was.
INSERT INTO item_sources (tenant, item_id, session_id, position, again)
VALUES (:tenant, :item_id, :session_id, :position, :again);
-- copy.read_item_bases --
-- A page of all item_bases, in the order of their key, for moving a store.
SELECT tenant, item_id, base_id
  FROM item_bases WHERE (tenant, item_id, base_id) > (:tenant, :item_id, :base_id) ORDER BY tenant, item_id, base_id LIMIT :limit;
-- copy.add_item_bases --
-- One of the item_bases, as it was.
INSERT INTO item_bases (tenant, item_id, base_id)
VALUES (:tenant, :item_id, :base_id);
-- copy.read_item_pairs --
-- A page of all item_pairs, in the order of their key, for moving a store.
SELECT tenant, one_id, other_id, verdict, at
  FROM item_pairs WHERE (tenant, one_id, other_id) > (:tenant, :one_id, :other_id) ORDER BY tenant, one_id, other_id LIMIT :limit;
-- copy.add_item_pairs --
-- One of the item_pairs, as it was.
INSERT INTO item_pairs (tenant, one_id, other_id, verdict, at)
VALUES (:tenant, :one_id, :other_id, :verdict, :at);
-- copy.read_procedures --
-- A page of all procedures, in the order of their key, for moving a store.
SELECT tenant, id, user_id, agent, name, when_to_use, discovery, activation, steps, tools, tags, provenance, origin, confidence, successes, attempts,
       version, enabled, superseded_by, created_at, last_used_at, sources, tier, checksum
  FROM procedures WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_procedures --
-- One of the procedures, as it was.
INSERT INTO procedures (tenant, id, user_id, agent, name, when_to_use, discovery, activation, steps, tools, tags, provenance, origin, confidence, successes, attempts,
       version, enabled, superseded_by, created_at, last_used_at, sources, tier, checksum)
VALUES (:tenant, :id, :user_id, :agent, :name, :when_to_use, :discovery, :activation, :steps, :tools, :tags, :provenance, :origin,
       :confidence, :successes, :attempts, :version, :enabled, :superseded_by, :created_at, :last_used_at, :sources, :tier, :checksum);
-- copy.read_procedure_vectors --
-- A page of all procedure_vectors, in the order of their key, for moving a store.
SELECT tenant, procedure_id, model, numbers
  FROM procedure_vectors WHERE (tenant, procedure_id, model) > (:tenant, :procedure_id, :model) ORDER BY tenant, procedure_id, model
 LIMIT :limit;
-- copy.add_procedure_vectors --
-- One of the procedure_vectors, as it was.
INSERT INTO procedure_vectors (tenant, procedure_id, model, numbers)
VALUES (:tenant, :procedure_id, :model, :numbers);
-- copy.read_proposals --
-- A page of all proposals, in the order of their key, for moving a store.
SELECT tenant, id, user_id, agent, session_id, context, operation, target, item, flags, origin, made_at, expires_at, kind,
       made, only_session, settled_at
  FROM proposals WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_proposals --
-- One of the proposals, as it was.
INSERT INTO proposals (tenant, id, user_id, agent, session_id, context, operation, target, item, flags, origin, made_at, expires_at, kind,
       made, only_session, settled_at)
VALUES (:tenant, :id, :user_id, :agent, :session_id, :context, :operation, :target, :item, :flags, :origin, :made_at, :expires_at, :kind,
       :made, :only_session, :settled_at);
-- copy.read_reflections --
-- A page of all reflections, in the order of their key, for moving a store.
SELECT tenant, id, user_id, agent, only_session, context, text, quote, escaped, quote_start, quote_end, tier, salt, formed_at,
       absorbed_at, digest, withdrawn_at, unconfirmed
  FROM reflections WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_reflections --
-- One of the reflections, as it was.
INSERT INTO reflections (tenant, id, user_id, agent, only_session, context, text, quote, escaped, quote_start, quote_end, tier, salt,
       formed_at, absorbed_at, digest, withdrawn_at, unconfirmed)
VALUES (:tenant, :id, :user_id, :agent, :only_session, :context, :text, :quote, :escaped, :quote_start, :quote_end, :tier, :salt,
       :formed_at, :absorbed_at, :digest, :withdrawn_at, :unconfirmed);
-- copy.read_reflection_sources --
-- A page of all reflection_sources, in the order of their key, for moving a store.
SELECT tenant, reflection_id, session_id, position
  FROM reflection_sources WHERE (tenant, reflection_id, session_id, position) > (:tenant, :reflection_id, :session_id, :position) ORDER BY
       tenant, reflection_id, session_id, position LIMIT :limit;
-- copy.add_reflection_sources --
-- One of the reflection_sources, as it was.
INSERT INTO reflection_sources (tenant, reflection_id, session_id, position)
VALUES (:tenant, :reflection_id, :session_id, :position);
-- copy.read_digests --
-- A page of all digests, in the order of their key, for moving a store.
SELECT tenant, id, user_id, agent, only_session, context, kind, version, text, escaped, word_limit, tier, model, dropped, salt, made_at,
       withdrawn_at
  FROM digests WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_digests --
-- One of the digests, as it was.
INSERT INTO digests (tenant, id, user_id, agent, only_session, context, kind, version, text, escaped, word_limit, tier, model, dropped,
       salt, made_at, withdrawn_at)
VALUES (:tenant, :id, :user_id, :agent, :only_session, :context, :kind, :version, :text, :escaped, :word_limit, :tier, :model, :dropped,
       :salt, :made_at, :withdrawn_at);
-- copy.read_digest_sources --
-- A page of all digest_sources, in the order of their key, for moving a store.
SELECT tenant, digest_id, source
  FROM digest_sources WHERE (tenant, digest_id, source) > (:tenant, :digest_id, :source) ORDER BY tenant, digest_id, source LIMIT :limit;
-- copy.add_digest_sources --
-- One of the digest_sources, as it was.
INSERT INTO digest_sources (tenant, digest_id, source)
VALUES (:tenant, :digest_id, :source);
-- copy.read_entities --
-- A page of all entities, in the order of their key, for moving a store.
SELECT tenant, id, user_id, agent, name, created_at
  FROM entities WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_entities --
-- One of the entities, as it was.
INSERT INTO entities (tenant, id, user_id, agent, name, created_at)
VALUES (:tenant, :id, :user_id, :agent, :name, :created_at);
-- copy.read_entity_aliases --
-- A page of all entity_aliases, in the order of their key, for moving a store.
SELECT tenant, entity_id, folded, alias
  FROM entity_aliases WHERE (tenant, entity_id, folded, alias) > (:tenant, :entity_id, :folded, :alias)
 ORDER BY tenant, entity_id, folded, alias LIMIT :limit;
-- copy.add_entity_aliases --
-- One of the entity_aliases, as it was.
INSERT INTO entity_aliases (tenant, entity_id, folded, alias)
VALUES (:tenant, :entity_id, :folded, :alias);
-- copy.read_item_entities --
-- A page of all item_entities, in the order of their key, for moving a store.
SELECT tenant, item_id, entity_id, alias
  FROM item_entities WHERE (tenant, item_id, entity_id) > (:tenant, :item_id, :entity_id) ORDER BY tenant, item_id, entity_id LIMIT :limit;
-- copy.add_item_entities --
-- One of the item_entities, as it was.
INSERT INTO item_entities (tenant, item_id, entity_id, alias)
VALUES (:tenant, :item_id, :entity_id, :alias);
-- copy.read_ledgers --
-- A page of all ledgers, in the order of their key, for moving a store.
SELECT tenant, seq, hash, key
  FROM ledgers WHERE tenant > :tenant ORDER BY tenant LIMIT :limit;
-- copy.add_ledgers --
-- One of the ledgers, as it was.
INSERT INTO ledgers (tenant, seq, hash, key)
VALUES (:tenant, :seq, :hash, :key);
-- copy.read_changes --
-- A page of all changes, in the order of their key, for moving a store.
SELECT tenant, seq, id, at, action, kind, record, user_id, session_id, actor, cause, content, hash
  FROM changes WHERE (tenant, seq) > (:tenant, :seq) ORDER BY tenant, seq LIMIT :limit;
-- copy.add_changes --
-- One of the changes, as it was.
INSERT INTO changes (tenant, seq, id, at, action, kind, record, user_id, session_id, actor, cause, content, hash)
VALUES (:tenant, :seq, :id, :at, :action, :kind, :record, :user_id, :session_id, :actor, :cause, :content, :hash);
-- copy.read_revisions --
-- A page of all revisions, in the order of their key, for moving a store.
SELECT tenant, seq, record, reason, before
  FROM revisions WHERE (tenant, seq) > (:tenant, :seq) ORDER BY tenant, seq LIMIT :limit;
-- copy.add_revisions --
-- One of the revisions, as it was.
INSERT INTO revisions (tenant, seq, record, reason, before)
VALUES (:tenant, :seq, :record, :reason, :before);
-- copy.read_foreign_ledgers --
-- A page of all foreign_ledgers, in the order of their key, for moving a store.
SELECT tenant, id, made_at, head, entries, hash
  FROM foreign_ledgers WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_foreign_ledgers --
-- One of the foreign_ledgers, as it was.
INSERT INTO foreign_ledgers (tenant, id, made_at, head, entries, hash)
VALUES (:tenant, :id, :made_at, :head, :entries, :hash);
-- copy.read_foreign_changes --
-- A page of all foreign_changes, in the order of their key, for moving a store.
SELECT tenant, ledger, seq, id, at, action, kind, record, user_id, session_id, actor, cause, content, told, hash
  FROM foreign_changes WHERE (tenant, ledger, seq) > (:tenant, :ledger, :seq) ORDER BY tenant, ledger, seq LIMIT :limit;
-- copy.add_foreign_changes --
-- One of the foreign_changes, as it was.
INSERT INTO foreign_changes (tenant, ledger, seq, id, at, action, kind, record, user_id, session_id, actor, cause, content, told, hash)
VALUES (:tenant, :ledger, :seq, :id, :at, :action, :kind, :record, :user_id, :session_id, :actor, :cause, :content, :told, :hash);
-- copy.read_exports --
-- A page of all exports, in the order of their key, for moving a store.
SELECT tenant, id, made_at, user_id, agent, everything, name, head
  FROM exports WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_exports --
-- One of the exports, as it was.
INSERT INTO exports (tenant, id, made_at, user_id, agent, everything, name, head)
VALUES (:tenant, :id, :made_at, :user_id, :agent, :everything, :name, :head);
-- copy.read_partitions --
-- A page of all partitions, in the order of their key, for moving a store.
SELECT tenant, user_id, seq
  FROM partitions WHERE (tenant, user_id) > (:tenant, :user_id) ORDER BY tenant, user_id LIMIT :limit;
-- copy.add_partitions --
-- One of the partitions, as it was.
INSERT INTO partitions (tenant, user_id, seq)
VALUES (:tenant, :user_id, :seq);
-- copy.read_docs --
-- A page of all docs, in the order of their key, for moving a store.
SELECT doc, tenant, user_id, seq, kind, ref, part, agent, only_session, session_id, position, category, context, sensitive, muted, unconfirmed, at,
       recorded_at, valid_from, valid_until, closed_at, superseded_at, expires_at, own, around
  FROM docs WHERE doc > :doc ORDER BY doc LIMIT :limit;
-- copy.read_erased --
-- A page of all erased, in the order of their key, for moving a store.
SELECT tenant, user_id, seq, doc
  FROM erased WHERE (tenant, user_id, seq, doc) > (:tenant, :user_id, :seq, :doc) ORDER BY tenant, user_id, seq, doc LIMIT :limit;
-- copy.add_erased --
-- One of the erased, as it was.
INSERT INTO erased (tenant, user_id, seq, doc)
VALUES (:tenant, :user_id, :seq, :doc);
-- copy.read_embedders --
-- A page of all embedders, in the order of their key, for moving a store.
SELECT model, id, spec, dimension, state, input_bytes
  FROM embedders WHERE model > :model ORDER BY model LIMIT :limit;
-- copy.add_vectors --
-- One of the vectors, as it was.
INSERT INTO vectors (tenant, user_id, model, seq, doc, vector)
VALUES (:tenant, :user_id, :model, :seq, :doc, :vector);
-- copy.read_readings --
-- A page of all readings, in the order of their key, for moving a store.
SELECT tenant, doc, reader, reading
  FROM readings WHERE (tenant, doc, reader) > (:tenant, :doc, :reader) ORDER BY tenant, doc, reader LIMIT :limit;
-- copy.add_readings --
-- One of the readings, as it was.
INSERT INTO readings (tenant, doc, reader, reading)
VALUES (:tenant, :doc, :reader, :reading);
-- copy.read_senders --
-- A page of all senders, in the order of their key, for moving a store.
SELECT tenant, channel, sender, user_id, linked_at
  FROM senders WHERE (tenant, channel, sender) > (:tenant, :channel, :sender) ORDER BY tenant, channel, sender LIMIT :limit;
-- copy.add_senders --
-- One of the senders, as it was.
INSERT INTO senders (tenant, channel, sender, user_id, linked_at)
VALUES (:tenant, :channel, :sender, :user_id, :linked_at);
-- copy.read_users --
-- A page of all users, in the order of their key, for moving a store.
SELECT tenant, user_id, zone, changed_at
  FROM users WHERE (tenant, user_id) > (:tenant, :user_id) ORDER BY tenant, user_id LIMIT :limit;
-- copy.add_users --
-- One of the users, as it was.
INSERT INTO users (tenant, user_id, zone, changed_at)
VALUES (:tenant, :user_id, :zone, :changed_at);
-- copy.read_jobs --
-- A page of all jobs, in the order of their key, for moving a store.
SELECT tenant, id, kind, user_id, agent, session_id, args, state, run_at, lease_until, attempts, failures, failed_at, error, answer, wanted
  FROM jobs WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_jobs --
-- One of the jobs, as it was.
INSERT INTO jobs (tenant, id, kind, user_id, agent, session_id, args, state, run_at, lease_until, attempts, failures, failed_at, error, answer, wanted)
VALUES (:tenant, :id, :kind, :user_id, :agent, :session_id, :args, :state, :run_at, :lease_until, :attempts, :failures, :failed_at, :error, :answer, :wanted);
-- copy.read_tool_calls --
-- A page of all tool_calls, in the order of their key, for moving a store.
SELECT tenant, id, user_id, agent, session_id, shared, tool, args, result, error, success, duration_ms, at, purge_at
  FROM tool_calls WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_tool_calls --
-- One of the tool_calls, as it was.
INSERT INTO tool_calls (tenant, id, user_id, agent, session_id, shared, tool, args, result, error, success, duration_ms, at, purge_at)
VALUES (:tenant, :id, :user_id, :agent, :session_id, :shared, :tool, :args, :result, :error, :success, :duration_ms, :at, :purge_at);
-- copy.read_model_calls --
-- A page of all model_calls, in the order of their key, for moving a store.
SELECT tenant, id, purpose, model, outcome, input_tokens, output_tokens, cost, ms, at
  FROM model_calls WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_model_calls --
-- One of the model_calls, as it was.
INSERT INTO model_calls (tenant, id, purpose, model, outcome, input_tokens, output_tokens, cost, ms, at)
VALUES (:tenant, :id, :purpose, :model, :outcome, :input_tokens, :output_tokens, :cost, :ms, :at);

-- copy.add_docs --
-- One of the docs, as it was.
INSERT INTO docs (doc, tenant, user_id, seq, kind, ref, part, agent, only_session, session_id, position, category, context, sensitive,
       muted, unconfirmed, at, recorded_at, valid_from, valid_until, closed_at, superseded_at, expires_at, own, around) OVERRIDING SYSTEM VALUE
VALUES (:doc, :tenant, :user_id, :seq, :kind, :ref, :part, :agent, :only_session, :session_id, :position, :category, :context, :sensitive,
       :muted, :unconfirmed, :at, :recorded_at, :valid_from, :valid_until, :closed_at, :superseded_at, :expires_at, :own, :around);
-- copy.add_embedders --
-- One of the embedders, as it was.
INSERT INTO embedders (model, id, spec, dimension, state, input_bytes) OVERRIDING SYSTEM VALUE
VALUES (:model, :id, :spec, :dimension, :state, :input_bytes);
-- copy.read_vectors --
-- A page of all vectors, in the order of their key, for moving a store.
SELECT tenant, user_id, model, seq, doc, CAST(vector AS TEXT) AS vector
  FROM vectors WHERE (tenant, doc, model) > (:tenant, :doc, :model) ORDER BY tenant, doc, model LIMIT :limit;
-- copy.count_docs --
-- Let new docs be numbered after those that were moved.
SELECT setval(pg_get_serial_sequence('docs', 'doc'), (SELECT max(doc) FROM docs));
-- copy.count_embedders --
-- Let new embedders be numbered after those that were moved.
SELECT setval(pg_get_serial_sequence('embedders', 'model'), (SELECT max(model) FROM embedders));

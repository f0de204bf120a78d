-- saved_searches.save --
-- Add one saved search, or write its texts anew.
INSERT INTO saved_searches (tenant, id, user_id, agent, context, name, question, filters, saved_at)
VALUES (:tenant, :id, :user, :agent, :context, :name, :question, :filters, :saved_at)
ON CONFLICT (tenant, id) DO UPDATE SET name = excluded.name, question = excluded.question, filters = excluded.filters;
-- saved_searches.raw --
-- One saved search, whoever asks.
SELECT * FROM saved_searches WHERE tenant = :tenant AND id = :id;
-- saved_searches.list --
-- The saved searches that the asker sees, by name.
SELECT * FROM saved_searches WHERE tenant = :tenant AND user_id IN ('', :user) AND agent IN ('', :agent) ORDER BY name, id;
-- saved_searches.of_user --
-- Every saved search of one user.
SELECT * FROM saved_searches WHERE tenant = :tenant AND user_id = :user ORDER BY id;
-- saved_searches.after --
-- A page of all saved searches of a tenant, by id.
SELECT * FROM saved_searches WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit;
-- saved_searches.forget --
-- Erase one saved search.
DELETE FROM saved_searches WHERE tenant = :tenant AND id = :id;
-- saved_searches.held --
-- One row if any of them still holds a piece of text, of all tenants.
SELECT 1 AS held FROM saved_searches WHERE replace(name, :piece, '') <> name
    OR replace(question, :piece, '') <> question
    OR replace(filters, :piece, '') <> filters LIMIT 1;
-- copy.read_saved_searches --
-- A page of all saved_searches, in the order of their key, for moving a store.
SELECT tenant, id, user_id, agent, context, name, question, filters, saved_at
  FROM saved_searches WHERE (tenant, id) > (:tenant, :id) ORDER BY tenant, id LIMIT :limit;
-- copy.add_saved_searches --
-- One of the saved_searches, as it was.
INSERT INTO saved_searches (tenant, id, user_id, agent, context, name, question, filters, saved_at)
VALUES (:tenant, :id, :user_id, :agent, :context, :name, :question, :filters, :saved_at);

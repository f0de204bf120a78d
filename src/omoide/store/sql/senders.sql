-- senders.add --
-- Link a sender to a user. Changes no row if it is linked already.
INSERT INTO senders (tenant, channel, sender, user_id, linked_at) VALUES (:tenant, :channel, :sender, :user, :linked_at)
ON CONFLICT (tenant, channel, sender) DO NOTHING;
-- senders.get --
-- The user that a sender is linked to.
SELECT * FROM senders WHERE tenant = :tenant AND channel = :channel AND sender = :sender;
-- senders.list --
-- The senders of a user, or with empty text of all users of a tenant.
SELECT * FROM senders WHERE tenant = :tenant AND (user_id = :user OR CAST(:user AS TEXT) = '') ORDER BY user_id, channel, sender;
-- senders.move --
-- Let all senders of one user be another's.
UPDATE senders SET user_id = :target WHERE tenant = :tenant AND user_id = :user;
-- senders.drop --
-- Let a sender be a user of its own again.
DELETE FROM senders WHERE tenant = :tenant AND channel = :channel AND sender = :sender AND user_id = :user;
-- senders.forget --
-- Erase the senders of a user.
DELETE FROM senders WHERE tenant = :tenant AND user_id = :user;
-- senders.tenants --
-- The tenants that have any.
SELECT DISTINCT tenant FROM senders ORDER BY tenant;
-- senders.held --
-- One row if any of them still holds a piece of text, of all tenants.
SELECT 1 AS held FROM senders WHERE replace(sender, :piece, '') <> sender LIMIT 1;

-- Searches filter by whether an item is unconfirmed, as they do by whether it is muted.
-- Safe while older code still runs: the column has a default, and what older code adds counts as confirmed until the item changes.
ALTER TABLE docs ADD COLUMN unconfirmed TEXT NOT NULL DEFAULT '';  -- of an item: why it is unconfirmed; empty: it is not
UPDATE docs SET unconfirmed = (SELECT i.unconfirmed FROM items i WHERE i.tenant = docs.tenant AND i.id = docs.ref)
 WHERE kind = 'item' AND EXISTS (SELECT 1 FROM items i WHERE i.tenant = docs.tenant AND i.id = docs.ref AND i.unconfirmed <> '');

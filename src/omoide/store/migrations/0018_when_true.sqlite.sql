-- The search index holds when an item became true, not when it was noted down, so that facts learnt from
-- old talk are found by its date. Safe while older code still runs: it notes the other time for what is new.
UPDATE docs SET at = valid_from WHERE kind = 'item' AND at <> valid_from;

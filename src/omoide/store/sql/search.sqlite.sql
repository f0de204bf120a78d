-- vectors.changed --
-- Vectors of one embedder in a partition that came after a counter, in any order, as float32 bytes.
SELECT doc, vector FROM vectors WHERE tenant = :tenant AND user_id = :user AND model = :model AND seq > :since;

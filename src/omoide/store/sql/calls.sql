-- calls.add --
-- Note one call of a language model.
INSERT INTO model_calls (tenant, id, purpose, model, outcome, input_tokens, output_tokens, cost, ms, at)
VALUES (:tenant, :id, :purpose, :model, :outcome, :input_tokens, :output_tokens, :cost, :ms, :at);
-- calls.sums --
-- What a tenant's calls since a time add up to, by purpose and model, most calls first.
SELECT purpose, model, count(*) AS calls, sum(CASE WHEN outcome = :answered THEN 0 ELSE 1 END) AS failures,
       sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cost) AS cost, avg(ms) AS ms
  FROM model_calls WHERE tenant = :tenant AND at >= :since
 GROUP BY purpose, model ORDER BY count(*) DESC, purpose, model;
-- calls.spent --
-- Millionths of a dollar, and tokens, that were spent since a time, for all tenants: the bill is one.
SELECT coalesce(sum(cost), 0) AS cost, coalesce(sum(input_tokens + output_tokens), 0) AS tokens FROM model_calls WHERE at >= :since;
-- calls.drop --
-- Let go of calls made before a time.
DELETE FROM model_calls WHERE at < :before;

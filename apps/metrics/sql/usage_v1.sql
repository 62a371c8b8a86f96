-- What turns said they used, by agent, release, model and currency, in each hour: from
-- their events, found as metrics_acts_v4 finds them. A turn that says nothing of it is
-- in no row; where no model, release or cost was told stands the empty text.
CREATE FUNCTION metrics_usage_v1(
    _project varchar, _first varchar, _last varchar,
    _since timestamptz, _until timestamptz
) RETURNS TABLE (
    agent_id varchar, hour timestamptz, release text, model text, currency text,
    turns bigint, costed bigint, filled_in bigint, input_tokens bigint,
    output_tokens bigint, cached_tokens bigint, cost numeric
) LANGUAGE sql STABLE AS $$
SELECT s.agent_id, date_trunc('hour', e.created_at, 'UTC'),
       left(coalesce(u.said ->> 'release', ''), 200),
       left(coalesce(u.said ->> 'model', ''), 200),
       coalesce(u.said ->> 'currency', ''), count(*),
       count(*) FILTER (WHERE u.said ? 'cost'),
       count(*) FILTER (WHERE u.said ? 'price_id'),
       coalesce(sum((u.said ->> 'input_tokens')::bigint), 0)::bigint,
       coalesce(sum((u.said ->> 'output_tokens')::bigint), 0)::bigint,
       coalesce(sum((u.said ->> 'cached_tokens')::bigint), 0)::bigint,
       coalesce(sum((u.said ->> 'cost')::numeric), 0)
  FROM audit_event e
  JOIN timeline_session s ON s.id = e.stream_id
 CROSS JOIN LATERAL (SELECT e.details -> 'usage' AS said) u
 WHERE e.project_id = _project AND e.id >= _first AND e.id < _last
   AND e.created_at >= _since AND e.created_at < _until
   AND e.action = 'turn.added' AND e.details ? 'usage'
 GROUP BY 1, 2, 3, 4, 5
$$;

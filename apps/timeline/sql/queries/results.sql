-- Results in one session that may answer a call again, newest first: of reads that are
-- done, said by who ran them, that no rollback has set aside and nobody has forgotten.
--
-- A forgetting counts for what was begun until then: what was on its way is forgotten
-- with it.
SELECT e.session_id, e.id AS effect_id, e.key, e.tool, e.call_digest, e.arguments,
       e.arguments_size, e.cache_scope, e.created_at AS begun_at,
       t.head_number AS version, t.created_at AS made_at, t.result,
       t.result_reference, t.result_digest, t.external_id, {{reused}} AS reused
  FROM timeline_effect e
 CROSS JOIN LATERAL (
       SELECT n.* FROM timeline_effectstep n
        WHERE n.session_id = %(session)s AND n.effect_id = e.id
        ORDER BY n.ordinal DESC LIMIT 1) t
 WHERE e.session_id = %(session)s
   AND e.effect_class = 'read' AND e.source_effect_id IS NULL
   AND t.status = 'done' AND t.digest IS NOT NULL
   AND {{which}}
   AND (%(tool)s::text IS NULL OR e.tool = %(tool)s)
   AND e.created_at > coalesce(%(forgotten)s::timestamptz, '-infinity')
   AND t.created_at > coalesce(%(since)s::timestamptz, '-infinity')
   AND t.created_at <= coalesce(%(until)s::timestamptz, 'infinity')
   AND (%(set_aside)s::boolean OR timeline_effect_known_v1(
        %(session)s, %(head)s::bigint, %(top)s::bigint, t.head_number))
   AND NOT EXISTS (
       SELECT FROM timeline_forgetting f
        WHERE f.session_id = %(session)s AND f.created_at >= e.created_at
          AND (f.tool IS NULL OR f.tool = e.tool)
          AND (f.call_digest IS NULL OR f.call_digest = e.call_digest))
 ORDER BY e.id DESC LIMIT %(limit)s

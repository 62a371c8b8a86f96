-- What stood under keys, counted by which of some points had it: from `first` to before
-- `behind`, as far as fewer than `moments` of the moments were over then. Points are
-- given by their versions, in order; both lists may be long, so nothing is joined.
SELECT s.first, s.behind, s.moments, count(*) AS keys, sum(s.size)::bigint AS bytes
  FROM (SELECT n.size,
               width_bucket(n.number - 1, %(numbers)s::bigint[]) AS first,
               coalesce(width_bucket(n.next - 1, %(numbers)s::bigint[]),
                        cardinality(%(numbers)s::bigint[])) AS behind,
               coalesce(width_bucket(n.expires_at - interval '1 microsecond',
                                     %(moments)s::timestamptz[]),
                        cardinality(%(moments)s::timestamptz[])) AS moments
          FROM (SELECT e.number, e.body_number, e.size, e.expires_at,
                       lead(e.number) OVER (PARTITION BY e.key ORDER BY e.number)
                           AS next
                  FROM timeline_entry e
                 WHERE e.session_id = %(session)s AND e.key <> '') n
         WHERE n.body_number IS NOT NULL) s
 WHERE s.first < s.behind
 GROUP BY s.first, s.behind, s.moments

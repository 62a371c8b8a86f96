-- What stood under the keys from `first` to before `before`, or had its end by `moment`,
-- at the version before this one: the keys that such an act takes away.
SELECT k.key
  FROM (SELECT DISTINCT ON (e.key) e.key, e.body_number, e.expires_at
          FROM timeline_entry e
         WHERE e.session_id = %(session)s AND e.number < %(number)s AND e.key <> ''
           AND e.key >= %(first)s::text
           AND e.key < %(before)s::text
         ORDER BY e.key, e.number DESC) k
 WHERE k.body_number IS NOT NULL
   AND coalesce(k.expires_at <= %(moment)s::timestamptz,
                %(moment)s::timestamptz IS NULL)
 ORDER BY k.key

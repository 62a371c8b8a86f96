-- Versions of a keyed document whose entries nobody has to see any more: none of them is
-- the newest of its key at version `shown_from`, later, or at any of the `moments`, and
-- no restore that is there has brought back what the version set. The newest entry of a
-- key is among what is shown: a key's versions are counted on from it. Versions of a
-- config stay, as does the first version.
SELECT v.number
  FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number BETWEEN %(first)s AND %(last)s
   AND v.op IN ('set', 'remove', 'remove_prefix', 'expire', 'rollback')
   AND v.number < %(shown_from)s AND v.number <> ALL (%(moments)s::bigint[])
   AND NOT EXISTS (
       SELECT FROM timeline_entry e
         LEFT JOIN LATERAL (
              SELECT n.number FROM timeline_entry n
               WHERE n.session_id = %(session)s AND n.key = e.key
                 AND n.number > e.number
               ORDER BY n.number LIMIT 1) n ON true
        WHERE e.session_id = %(session)s AND e.number = v.number
          AND (e.key = '' OR n.number IS NULL OR n.number > %(shown_from)s
               OR EXISTS (SELECT FROM unnest(%(moments)s::bigint[]) m (number)
                           WHERE m.number >= e.number AND m.number < n.number)))
   AND v.number <> ALL (ARRAY(
       SELECT e.body_number
         FROM timeline_version r
         JOIN timeline_entry e ON e.session_id = %(session)s AND e.number = r.number
        WHERE r.session_id = %(session)s AND r.restored_number IS NOT NULL
          AND e.body_number BETWEEN %(first)s AND %(last)s))
 ORDER BY v.number LIMIT %(limit)s

-- What an agent did outside on a range of versions, newest first, with how many there
-- are in all: none that only read, and none that the record has answered.
SELECT e.id, e.key, e.tool, coalesce(e.effect_class, 'irreversible') AS effect_class,
       CASE WHEN t.status = 'begun' AND t.deadline <= %(now)s THEN 'unknown'
            ELSE t.status END AS status,
       e.number, count(*) OVER () AS n_all
  FROM timeline_effect e
 CROSS JOIN LATERAL (
       SELECT n.status, n.deadline FROM timeline_effectstep n
        WHERE n.session_id = %(session)s AND n.effect_id = e.id
        ORDER BY n.ordinal DESC LIMIT 1) t
 WHERE e.session_id = %(session)s AND e.number BETWEEN %(first)s AND %(last)s
   AND e.effect_class IS DISTINCT FROM 'read' AND e.source_effect_id IS NULL
 ORDER BY e.id DESC LIMIT %(limit)s

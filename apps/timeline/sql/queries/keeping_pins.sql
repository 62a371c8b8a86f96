-- Versions between two numbers that somebody named, wrote about or still acts on.
SELECT l.number, 'labelled' AS why FROM timeline_label l
 WHERE l.session_id = %(session)s AND l.number BETWEEN %(first)s AND %(last)s
 UNION ALL
SELECT n.number, 'noted' FROM timeline_note n
 WHERE n.session_id = %(session)s AND n.number BETWEEN %(first)s AND %(last)s
 UNION ALL
SELECT o.number, 'open' FROM timeline_open o
 WHERE o.session_id = %(session)s AND o.kind IN ('waiting', 'held')
 UNION ALL
SELECT e.number, 'effect unfinished' FROM timeline_effect e
 WHERE e.session_id = %(session)s
   AND (SELECT t.status FROM timeline_effectstep t
         WHERE t.session_id = %(session)s AND t.effect_id = e.id
         ORDER BY t.ordinal DESC LIMIT 1) IN ('begun', 'unknown')
 UNION ALL
SELECT unnest(ARRAY[c.rollback_number, f.number]), 'compensation owed'
  FROM timeline_compensation c
  JOIN timeline_effect f ON f.session_id = %(session)s AND f.id = c.effect_id
 WHERE c.session_id = %(session)s
   AND coalesce((SELECT p.status FROM timeline_compensationstep p
                  WHERE p.session_id = %(session)s AND p.effect_id = c.effect_id
                  ORDER BY p.ordinal DESC LIMIT 1), 'open') NOT IN ('done', 'waived')
 UNION ALL
-- What a checkpointer resumes from, behind what others merged since.
(SELECT newest.number, 'newest checkpoint' FROM (
    SELECT v.number, v.external_id FROM timeline_version v
     WHERE v.session_id = %(session)s ORDER BY v.number DESC LIMIT 1000) newest
  WHERE newest.external_id IS NOT NULL ORDER BY newest.number DESC LIMIT 1)

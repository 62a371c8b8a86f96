-- What search and lists read of a session, each part as a number of rows and a sum of
-- digests.
SELECT 'values and marks' AS part, count(*), sum(hashtextextended(t::text, 0))
  FROM timeline_term t WHERE t.session_id = %(session)s
 UNION ALL
SELECT 'words', count(*), sum(hashtextextended(t::text, 0))
  FROM timeline_text t WHERE t.session_id = %(session)s
 UNION ALL
SELECT 'the first words', count(*), sum(hashtextextended(t::text, 0))
  FROM timeline_opening t WHERE t.session_id = %(session)s
 UNION ALL
SELECT 'what a fork began with', count(*), sum(hashtextextended(t::text, 0))
  FROM timeline_change t
 WHERE t.session_id = %(session)s AND t.number = 0 AND t.role = 4

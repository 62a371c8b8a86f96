-- MATERIALIZED: through the index of words, whatever the planner thinks of an order.
WITH found AS MATERIALIZED (
    SELECT t.session_id FROM timeline_text t WHERE t.words @@ {{words}}
     UNION ALL
    SELECT p.session_id
      FROM (SELECT DISTINCT session_id
              FROM (SELECT session_id FROM timeline_pending
                     ORDER BY session_id DESC, number DESC LIMIT {{pending}}) newest) p
     CROSS JOIN LATERAL (
           SELECT FROM timeline_text_current t
            WHERE t.session_id = p.session_id AND t.words @@ {{words}} LIMIT 1) one)
SELECT DISTINCT f.session_id FROM found f
 WHERE {{below}}
 ORDER BY f.session_id DESC LIMIT %(limit)s

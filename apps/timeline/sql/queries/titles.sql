-- What sessions may be titled with: what was set, the objective of the head, and what
-- the customer said first. Of a fork, those of its origins as well, nearest first.
--
-- What no projector has kept yet is read where it is pending, from small turns alone.
WITH RECURSIVE family AS (
    SELECT s.id AS session_id, 0 AS depth, s.id, s.project_id, s.origin_session_id,
           s.title, s.facets ->> 'objective' AS objective
      FROM timeline_session s WHERE s.id = ANY (%(sessions)s::varchar[])
     UNION ALL
    SELECT f.session_id, f.depth + 1, s.id, s.project_id, s.origin_session_id,
           s.title, NULL
      FROM family f
      JOIN timeline_session s
        ON s.id = f.origin_session_id AND s.project_id = f.project_id
     WHERE f.depth < %(deepest)s::int
)
SELECT f.session_id, f.depth, f.title, f.objective, o.text AS opening,
       t.codec, t.data, t.size
  FROM family f
  LEFT JOIN timeline_opening o ON o.session_id = f.id
  LEFT JOIN LATERAL (
       SELECT t.turn_number, t.codec, t.data, t.size
         FROM timeline_pending p
         JOIN timeline_turn t ON t.session_id = p.session_id
                             AND t.turn_number = p.turn_number
        WHERE p.session_id = f.id AND o.text IS NULL
          AND p.turn_number BETWEEN 1 AND %(latest)s::bigint
          AND t.size <= %(largest)s::bigint
        ORDER BY t.turn_number LIMIT %(latest)s::bigint) t ON true
 ORDER BY f.session_id, f.depth, t.turn_number

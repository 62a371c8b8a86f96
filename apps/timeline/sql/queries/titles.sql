-- What sessions may be titled with: what was set, what the head has where its agent is
-- mapped, the objective of the head, and what the customer said first, in turns or in the
-- messages that the head keeps. Of a fork, those of its origins as well, nearest first.
-- Beside it whose a session is by what the head has where its agent is mapped.
--
-- What no projector has kept yet is read where it is pending, from small turns alone.
WITH RECURSIVE family AS (
    SELECT s.id AS session_id, 0 AS depth, s.id, s.project_id, s.origin_session_id,
           s.title, s.facets ->> 'objective' AS objective,
           s.facets ->> 'opening' AS kept_opening, s.facets ->> a.title_path AS mapped,
           s.facets ->> a.user_path AS mapped_user, s.facets ->> 'tasks' AS tasks
      FROM timeline_session s
      LEFT JOIN agents_agent a ON a.id = s.agent_id
     WHERE s.id = ANY (%(sessions)s::varchar[])
     UNION ALL
    SELECT f.session_id, f.depth + 1, s.id, s.project_id, s.origin_session_id,
           s.title, NULL, NULL, NULL, NULL, NULL
      FROM family f
      JOIN timeline_session s
        ON s.id = f.origin_session_id AND s.project_id = f.project_id
     WHERE f.depth < %(deepest)s::int
)
SELECT f.session_id, f.depth, f.title, f.mapped, f.mapped_user, f.tasks, f.objective,
       f.kept_opening, o.text AS opening,
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

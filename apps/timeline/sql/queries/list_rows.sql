-- The newest versions of some sessions, newest first, and what is open in each: for the
-- rows of a list. Changes come with the head alone.
SELECT s.id AS session_id, about.is_waiting, about.flagged_at, about.forked_at,
       about.good, v.*
  FROM timeline_session s
 CROSS JOIN LATERAL (
       SELECT EXISTS (SELECT FROM timeline_open o
                       WHERE o.session_id = s.id AND o.kind = 'waiting') AS is_waiting,
              (SELECT max(o.number) FROM timeline_open o
                WHERE o.session_id = s.id AND o.kind = 'flagged') AS flagged_at,
              ARRAY(SELECT l.number FROM timeline_label l
                     WHERE l.session_id = s.id AND l.name = '{{good}}'
                     ORDER BY l.number DESC LIMIT {{shown}}) AS good,
              ARRAY(SELECT f.origin_number FROM timeline_session f
                     WHERE f.origin_session_id = s.id
                     ORDER BY f.id DESC LIMIT {{shown}}) AS forked_at) about
 CROSS JOIN LATERAL (
       SELECT v.number, v.op, v.restored_number, v.undo_of, v.flags, v.hold, v.release,
              v.actor_label, v.change_count,
              CASE WHEN starts_with(v.reasoning, E'\uFDD0sealed:') THEN v.reasoning
                   ELSE left(v.reasoning, {{said}}) END AS reasoning,
              CASE WHEN v.number = s.head_number THEN v.changes ELSE '[]' END AS changes
         FROM timeline_version v
        WHERE v.session_id = s.id ORDER BY v.number DESC LIMIT {{shown}} + 1) v
 WHERE s.id = ANY (%(sessions)s::varchar[])
 ORDER BY s.id, v.number DESC

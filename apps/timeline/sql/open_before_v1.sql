-- Who waits for a human among sessions from before there was timeline_open, as far as
-- it can be said without reading states: these are stored compressed. The newest
-- version that says something decides, so a pause and a resume are passed by.
--
-- `facets` has the first short values of a head. Where there may be others at the
-- top, or it is not known since when a session waits, it is listed as unread too, and
-- `manage.py rebuild_open` reads it. Until then pages say so.
WITH head AS (
    SELECT s.id, s.project_id, s.agent_id, v.number, v.created_at,
           coalesce(said.objective_status LIKE 'WAITING\_FOR%%', false)
           OR s.facets @> '{"/escalated": true}'
           OR s.facets @> '{"/escalated_to_human": true}' AS waits,
           -- 64 are kept of a head, those at the top first, and 10,000 looked at.
           NOT EXISTS (SELECT FROM jsonb_object_keys(s.facets) k (pointer)
                        WHERE k.pointer LIKE '/%%/%%')
           AND ((SELECT count(*) FROM jsonb_object_keys(s.facets)) >= 64
                OR v.size >= 10000 * 4) AS is_cut
      FROM timeline_session s
      JOIN LATERAL (
           SELECT h.number, h.hold, h.size, h.created_at FROM timeline_version h
            WHERE h.session_id = s.id ORDER BY h.number DESC LIMIT 1) v ON true
      JOIN LATERAL (
           SELECT h.objective_status FROM timeline_version h
            WHERE h.session_id = s.id AND h.op NOT IN ('pause', 'resume')
            ORDER BY h.number DESC LIMIT 1) said ON true
     WHERE s.id = ANY (%(sessions)s::varchar[])
       AND s.expired_at IS NULL AND v.hold IN ('open', 'paused')
       AND NOT EXISTS (SELECT FROM timeline_open o
                        WHERE o.session_id = s.id AND o.kind IN ('waiting', 'unread'))
)
INSERT INTO timeline_open (session_id, kind, number, project_id, agent_id, at)
SELECT h.id, k.kind, h.number, h.project_id, h.agent_id, h.created_at
  FROM head h
  JOIN (VALUES ('waiting'), ('unread')) k (kind)
    ON CASE k.kind WHEN 'waiting' THEN h.waits
                   ELSE h.waits AND h.number > 0 OR h.is_cut AND NOT h.waits END
    ON CONFLICT DO NOTHING

-- Count anew which live versions of some sessions are flagged, and since when they are
-- held. The caller has locked the sessions, and removed what is to be replaced.
--
-- The lineage is walked from the head down: each stretch ends at a rollback, and goes
-- on at the version that it restored.
WITH RECURSIVE head AS (
    SELECT s.id, s.project_id, s.agent_id, h.number, h.hold
      FROM timeline_session s
      JOIN LATERAL (SELECT v.number, v.hold FROM timeline_version v
                     WHERE v.session_id = s.id ORDER BY v.number DESC LIMIT 1) h ON true
     WHERE s.id = ANY (%(sessions)s::varchar[])
       AND s.expired_at IS NULL AND h.hold <> 'deleted'
), stretch AS (
    SELECT h.id, h.number AS top, r.number AS bottom, r.restored_number AS next
      FROM head h
      LEFT JOIN LATERAL (
           SELECT v.number, v.restored_number FROM timeline_version v
            WHERE v.session_id = h.id AND v.restored_number IS NOT NULL
              AND v.number <= h.number
            ORDER BY v.number DESC LIMIT 1) r ON true
     WHERE EXISTS (SELECT FROM timeline_version v
                    WHERE v.session_id = h.id AND v.flags <> '[]')
    UNION ALL
    SELECT p.id, p.next, r.number, r.restored_number
      FROM stretch p
      LEFT JOIN LATERAL (
           SELECT v.number, v.restored_number FROM timeline_version v
            WHERE v.session_id = p.id AND v.restored_number IS NOT NULL
              AND v.number <= p.next
            ORDER BY v.number DESC LIMIT 1) r ON true
     WHERE p.next IS NOT NULL
), found AS (
    SELECT f.id, 'flagged' AS kind, f.number, f.created_at
      FROM (SELECT p.id, v.number, v.created_at,
                   row_number() OVER (PARTITION BY p.id ORDER BY v.number DESC) AS place
              FROM stretch p
              JOIN timeline_version v
                ON v.session_id = p.id AND v.flags <> '[]'
               AND v.restored_number IS NULL
               AND v.number BETWEEN coalesce(p.bottom, 0) AND p.top) f
     WHERE f.place <= timeline_most_flagged_v1()
    UNION ALL
    SELECT h.id, 'held', v.number, v.created_at
      FROM head h
      JOIN timeline_version v
        ON v.session_id = h.id AND v.number = 1 + (
           SELECT o.number FROM timeline_version o
            WHERE o.session_id = h.id AND o.hold <> 'paused'
            ORDER BY o.number DESC LIMIT 1)
     WHERE h.hold = 'paused'
)
INSERT INTO timeline_open (session_id, kind, number, project_id, agent_id, at)
SELECT f.id, f.kind, f.number, h.project_id, h.agent_id, f.created_at
  FROM found f JOIN head h ON h.id = f.id
    ON CONFLICT DO NOTHING

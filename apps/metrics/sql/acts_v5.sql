-- What happened to the sessions of a project in a time: every version and every turn.
--
-- Found by the time in the events' ids, which is never later than `created_at` and at
-- most `_first` earlier; when it happened is `created_at`. A rollback is laid to the
-- release and model of the first version that went wrong, the one after the version
-- it restored; taking a rollback back is no failure. Where an agent's version tells no
-- release or model, or an empty one, and where a rollback is laid to such a version, it
-- is the empty text: not told. What people do and what holds a session tells none and is
-- asked for none: null. What a turn reports of its tool and of its time stands in its
-- event. An agent asks for a human where its version has an objective that begins with
-- WAITING_FOR, or sets `escalated` or `escalated_to_human` to true; of the changes the
-- first fifty stand with the version. A version of an agent's own is flagged where it
-- seems to have lost something.
--
-- Every act that makes a version is named below: `previous` takes each version for one
-- at which its session was active, so what is left out here is counted in no range.
CREATE FUNCTION metrics_acts_v5(
    _project varchar, _first varchar, _last varchar,
    _since timestamptz, _until timestamptz
) RETURNS TABLE (
    session_id varchar, agent_id varchar, hour timestamptz, at timestamptz,
    is_turn boolean, is_first boolean, is_fork boolean, number bigint,
    release text, model text, is_failure boolean, is_undo boolean, is_repeat boolean,
    restored_number bigint, reason text, actor text, waited double precision,
    stored bigint, tool text, tool_failed boolean, latency_ms bigint,
    is_closed boolean, is_escalated boolean, is_flagged boolean
) LANGUAGE sql STABLE AS $$
SELECT e.stream_id, s.agent_id, date_trunc('hour', e.created_at, 'UTC'), e.created_at,
       e.action = 'turn.added', e.action IN ('session.created', 'session.forked'),
       e.action = 'session.forked', e.number,
       left(coalesce(nullif(bad.release, ''), nullif(v.release, ''), untold.value), 200),
       left(coalesce(nullif(bad.model, ''), nullif(v.model, ''), untold.value), 200),
       coalesce(v.restored_number IS NOT NULL AND v.undo_of IS NULL, false),
       v.undo_of IS NOT NULL,
       v.undo_of IS NULL AND EXISTS (
           SELECT FROM timeline_version earlier
            WHERE earlier.session_id = v.session_id AND earlier.number < v.number
              AND earlier.restored_number = v.restored_number
              AND earlier.undo_of IS NULL),
       v.restored_number, left(coalesce(v.reason_code, ''), 200),
       left(e.actor_kind || ':' || e.actor_label, 200),
       extract(epoch FROM e.created_at - bad.created_at)::double precision,
       octet_length(b.data),
       CASE WHEN e.action = 'turn.added' THEN left(e.details ->> 'tool_name', 200) END,
       e.action = 'turn.added' AND e.details @> '{"tool_failed": true}',
       CASE WHEN e.action = 'turn.added'
            THEN (e.details ->> 'latency_ms')::bigint END,
       e.action = 'session.closed',
       e.actor_kind = 'key' AND e.action IN ('session.created', 'version.created')
       AND (v.objective_status LIKE 'WAITING\_FOR%'
            OR v.changes @> '[{"pointer": "/escalated", "after": true}]'
            OR v.changes @> '[{"pointer": "/escalated_to_human", "after": true}]'),
       e.actor_kind = 'key' AND v.restored_number IS NULL AND v.flags <> '[]'
  FROM audit_event e
  JOIN timeline_session s ON s.id = e.stream_id
  LEFT JOIN timeline_version v
    ON e.action <> 'turn.added'
   AND v.session_id = e.stream_id AND v.number = e.number
  LEFT JOIN timeline_version bad
    ON bad.session_id = v.session_id AND bad.number = v.restored_number + 1
   AND v.undo_of IS NULL
  LEFT JOIN timeline_body b ON b.session_id = v.session_id AND b.number = v.number
 CROSS JOIN LATERAL (
       SELECT CASE WHEN v.restored_number IS NOT NULL AND v.undo_of IS NULL
                     OR e.actor_kind = 'key'
                    AND e.action IN ('session.created', 'session.forked', 'version.created')
              THEN '' END AS value) AS untold
 WHERE e.project_id = _project AND e.id >= _first AND e.id < _last
   AND e.created_at >= _since AND e.created_at < _until
   AND e.action IN ('session.created', 'session.forked', 'version.created',
                    'session.rolled_back', 'session.promoted', 'session.reverted',
                    'session.reapplied', 'session.restored', 'session.migrated',
                    'session.paused', 'session.resumed', 'approval.requested',
                    'approval.decided', 'session.closed', 'session.deleted', 'turn.added')
$$;

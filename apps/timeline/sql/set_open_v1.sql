-- Keep timeline_open true of a session whose head has just become `_new`.
--
-- Called under the session's row lock, and only where something may change: `_before`
-- is the head until now, `_waits` whether the session waits for a human from now on,
-- NULL for as before. What has ended is over for good: a deleted session has no rows.
-- A closed one waits for nobody and is not held; what it lost stays lost. A row that
-- already exists, though it should not, must not stop a write: ON CONFLICT DO NOTHING.
CREATE FUNCTION timeline_set_open_v1(
    _project varchar, _agent varchar, _before timeline_version, _new timeline_version,
    _waits boolean
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF _new.hold = 'deleted' THEN
        DELETE FROM timeline_open o WHERE o.session_id = _new.session_id;
        RETURN;
    END IF;

    IF _new.hold <> _before.hold THEN
        DELETE FROM timeline_open o
         WHERE o.session_id = _new.session_id
           AND (o.kind = 'held' OR o.kind = 'waiting' AND _new.hold = 'closed');
        IF _new.hold = 'paused' THEN
            INSERT INTO timeline_open
                   (session_id, kind, number, project_id, agent_id, at)
            VALUES (_new.session_id, 'held', _new.number, _project, _agent,
                    _new.created_at)
                ON CONFLICT DO NOTHING;
        END IF;
    END IF;

    IF _waits THEN
        -- Since when it waits stays as it is.
        IF NOT EXISTS (SELECT FROM timeline_open o
                        WHERE o.session_id = _new.session_id AND o.kind = 'waiting')
        THEN
            INSERT INTO timeline_open
                   (session_id, kind, number, project_id, agent_id, at)
            VALUES (_new.session_id, 'waiting', _new.number, _project, _agent,
                    _new.created_at)
                ON CONFLICT DO NOTHING;
        END IF;
    ELSIF NOT _waits THEN
        DELETE FROM timeline_open o
         WHERE o.session_id = _new.session_id AND o.kind = 'waiting';
    END IF;

    -- What a rollback drops was meant to go, so it is not flagged itself.
    IF _new.restored_number IS NOT NULL THEN
        PERFORM timeline_reflag_v1(
            _new.session_id, _project, _agent, _before.number, _new.restored_number);
    ELSIF _new.flags <> '[]' THEN
        INSERT INTO timeline_open (session_id, kind, number, project_id, agent_id, at)
        VALUES (_new.session_id, 'flagged', _new.number, _project, _agent,
                _new.created_at)
            ON CONFLICT DO NOTHING;
        PERFORM timeline_trim_flagged_v1(_new.session_id);
    END IF;
END
$$;

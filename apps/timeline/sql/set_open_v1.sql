-- Keep timeline_open true of a session whose head has just become `_new`.
--
-- Called under the session's row lock, and only where something may change: `_before`
-- is the head until now, `_waits` whether the session waits for a human from now on,
-- NULL for as before. What has ended is over for good: a deleted session has no rows.
-- A closed one waits for nobody and is not held; what it lost stays lost.
CREATE FUNCTION timeline_set_open_v1(
    _project varchar, _agent varchar, _before timeline_version, _new timeline_version,
    _waits boolean
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    -- Where the lineages of the head until now, and of the version that is restored,
    -- have got to on their way down, and the newest rollback at or below that.
    _from bigint := _before.number;
    _from_jump record;
    _to bigint := _new.restored_number;
    _to_jump record;
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
                    _new.created_at);
        END IF;
    END IF;

    IF _waits THEN
        -- Since when it waits stays as it is.
        INSERT INTO timeline_open (session_id, kind, number, project_id, agent_id, at)
        SELECT _new.session_id, 'waiting', _new.number, _project, _agent,
               _new.created_at
         WHERE NOT EXISTS (SELECT FROM timeline_open o
                            WHERE o.session_id = _new.session_id
                              AND o.kind = 'waiting');
    ELSIF NOT _waits THEN
        DELETE FROM timeline_open o
         WHERE o.session_id = _new.session_id AND o.kind = 'waiting';
    END IF;

    IF _new.restored_number IS NULL THEN
        IF _new.flags <> '[]' THEN
            INSERT INTO timeline_open
                   (session_id, kind, number, project_id, agent_id, at)
            VALUES (_new.session_id, 'flagged', _new.number, _project, _agent,
                    _new.created_at);
        END IF;
        RETURN;
    END IF;

    -- A rollback. What it drops was meant to go, so it is not flagged itself. It sets
    -- versions aside, and may bring others back that an earlier one had set aside:
    -- walk down both lineages, always on from the one that is higher up, until they
    -- are in the same stretch between two rollbacks. Below they are one.
    IF NOT EXISTS (SELECT FROM timeline_version v
                    WHERE v.session_id = _new.session_id AND v.flags <> '[]'
                      AND v.restored_number IS NULL) THEN
        RETURN;
    END IF;
    LOOP
        SELECT v.number, v.restored_number INTO _from_jump FROM timeline_version v
         WHERE v.session_id = _new.session_id AND v.restored_number IS NOT NULL
           AND v.number <= _from
         ORDER BY v.number DESC LIMIT 1;
        SELECT v.number, v.restored_number INTO _to_jump FROM timeline_version v
         WHERE v.session_id = _new.session_id AND v.restored_number IS NOT NULL
           AND v.number <= _to
         ORDER BY v.number DESC LIMIT 1;
        EXIT WHEN _from_jump.number IS NOT DISTINCT FROM _to_jump.number;
        IF coalesce(_from_jump.number, -1) > coalesce(_to_jump.number, -1) THEN
            DELETE FROM timeline_open o
             WHERE o.session_id = _new.session_id AND o.kind = 'flagged'
               AND o.number BETWEEN _from_jump.number AND _from;
            _from := _from_jump.restored_number;
        ELSE
            INSERT INTO timeline_open
                   (session_id, kind, number, project_id, agent_id, at)
            SELECT v.session_id, 'flagged', v.number, _project, _agent, v.created_at
              FROM timeline_version v
             WHERE v.session_id = _new.session_id AND v.flags <> '[]'
               AND v.restored_number IS NULL
               AND v.number BETWEEN _to_jump.number AND _to;
            _to := _to_jump.restored_number;
        END IF;
    END LOOP;
    DELETE FROM timeline_open o
     WHERE o.session_id = _new.session_id AND o.kind = 'flagged'
       AND o.number > _to AND o.number <= _from;
    INSERT INTO timeline_open (session_id, kind, number, project_id, agent_id, at)
    SELECT v.session_id, 'flagged', v.number, _project, _agent, v.created_at
      FROM timeline_version v
     WHERE v.session_id = _new.session_id AND v.flags <> '[]'
       AND v.restored_number IS NULL
       AND v.number > _from AND v.number <= _to;
END
$$;

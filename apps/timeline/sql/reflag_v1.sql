-- List the flagged versions that are live once a rollback to `_to` follows `_from`,
-- the head until now.
--
-- A rollback sets versions aside, and may bring others back that an earlier one had set
-- aside. Both lineages are walked down, always on from the one that is higher up, until
-- they are in the same stretch between two rollbacks: below they are one. It costs what
-- changes, not what the session has.
CREATE FUNCTION timeline_reflag_v1(
    _session varchar, _project varchar, _agent varchar, _from bigint, _to bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    _most bigint := timeline_most_flagged_v1();
    _was_full boolean;
    _room bigint := _most;
    _made bigint;
    _oldest bigint;
    -- The newest rollbacks at or below the places where the walks have got to.
    _from_jump record;
    _to_jump record;
BEGIN
    IF NOT EXISTS (SELECT FROM timeline_version v
                    WHERE v.session_id = _session AND v.flags <> '[]'
                      AND v.restored_number IS NULL) THEN
        RETURN;
    END IF;
    SELECT count(*) >= _most INTO _was_full FROM timeline_open o
     WHERE o.session_id = _session AND o.kind = 'flagged';

    LOOP
        SELECT v.number, v.restored_number INTO _from_jump FROM timeline_version v
         WHERE v.session_id = _session AND v.restored_number IS NOT NULL
           AND v.number <= _from
         ORDER BY v.number DESC LIMIT 1;
        SELECT v.number, v.restored_number INTO _to_jump FROM timeline_version v
         WHERE v.session_id = _session AND v.restored_number IS NOT NULL
           AND v.number <= _to
         ORDER BY v.number DESC LIMIT 1;
        EXIT WHEN _from_jump.number IS NOT DISTINCT FROM _to_jump.number;
        IF coalesce(_from_jump.number, -1) > coalesce(_to_jump.number, -1) THEN
            DELETE FROM timeline_open o
             WHERE o.session_id = _session AND o.kind = 'flagged'
               AND o.number BETWEEN _from_jump.number AND _from;
            _from := _from_jump.restored_number;
        ELSE
            _made := timeline_flag_v1(
                _session, _project, _agent, _to_jump.number, _to, _room);
            _room := _room - _made;
            _to := _to_jump.restored_number;
        END IF;
    END LOOP;
    DELETE FROM timeline_open o
     WHERE o.session_id = _session AND o.kind = 'flagged'
       AND o.number > _to AND o.number <= _from;
    PERFORM timeline_flag_v1(_session, _project, _agent, _from + 1, _to, _room);
    PERFORM timeline_trim_flagged_v1(_session);
    IF NOT _was_full THEN
        RETURN;
    END IF;

    -- Older ones had no room on the list, and may have it now.
    SELECT _most - count(*), min(o.number) INTO _room, _oldest FROM timeline_open o
     WHERE o.session_id = _session AND o.kind = 'flagged';
    _to := least(_to, _from, _oldest - 1);
    WHILE _room > 0 LOOP
        SELECT v.number, v.restored_number INTO _to_jump FROM timeline_version v
         WHERE v.session_id = _session AND v.restored_number IS NOT NULL
           AND v.number <= _to
         ORDER BY v.number DESC LIMIT 1;
        _made := timeline_flag_v1(
            _session, _project, _agent, coalesce(_to_jump.number, 0), _to, _room);
        _room := _room - _made;
        EXIT WHEN _to_jump.number IS NULL;
        _to := _to_jump.restored_number;
    END LOOP;
END
$$;

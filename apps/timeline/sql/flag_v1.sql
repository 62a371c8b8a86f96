-- List the newest so many of the flagged versions from one number to another; return
-- how many there were.
CREATE FUNCTION timeline_flag_v1(
    _session varchar, _project varchar, _agent varchar, _low bigint, _high bigint,
    _limit bigint
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    _made bigint := 0;
    _one record;
BEGIN
    FOR _one IN
        SELECT v.number, v.created_at FROM timeline_version v
         WHERE v.session_id = _session AND v.flags <> '[]' AND v.restored_number IS NULL
           AND v.number BETWEEN _low AND _high
         ORDER BY v.number DESC LIMIT _limit
    LOOP
        INSERT INTO timeline_open (session_id, kind, number, project_id, agent_id, at)
        VALUES (_session, 'flagged', _one.number, _project, _agent, _one.created_at)
            ON CONFLICT DO NOTHING;
        _made := _made + FOUND::int;
    END LOOP;
    RETURN _made;
END
$$;

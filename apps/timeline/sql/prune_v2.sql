-- Delete versions of a session with all that belongs to them; what is kept builds on
-- none of them any more.
--
-- The caller holds the session's row and has looked, under that lock, at what has to
-- stay. `_from`, `_to` and the arrays beside them are bodies that kept versions need,
-- as key frames: in their place, or with the first kept version that shows them.
--
-- The flag that lets history be deleted is set for these statements alone, and counts
-- from the retention role alone.
CREATE FUNCTION timeline_prune_v2(
    _session varchar, _numbers bigint[], _turns bigint[],
    _from bigint[], _to bigint[], _codecs bigint[], _salts bytea[], _sizes bigint[],
    _data bytea[],
    OUT rows bigint, OUT bytes bigint, OUT bodies bigint
) LANGUAGE plpgsql AS $$
DECLARE
    _count bigint;
    _shown bigint;
    _place bigint;
BEGIN
    PERFORM set_config('stepback.retention', 'on', true);
    PERFORM timeline_empty_bodies_v2(
        _session, _numbers, _from, _to, _codecs, _salts, _sizes, _data);
    -- An emptied version that stays goes on showing a body that was emptied.
    FOR _shown, _place IN
        SELECT v.body_number, min(v.number) FROM timeline_version v
         WHERE v.session_id = _session AND v.body_number = ANY (_numbers)
           AND v.body_number <> v.number AND v.number <> ALL (_numbers)
         GROUP BY v.body_number
    LOOP
        INSERT INTO timeline_body (
            session_id, number, base_number, depth, codec, salt, data, size)
        VALUES (_session, _place, NULL, 0, 0, '', '', 0);
        UPDATE timeline_version SET body_number = _place
         WHERE session_id = _session AND body_number = _shown
           AND body_number <> number AND number <> ALL (_numbers);
    END LOOP;
    rows := 0;
    DELETE FROM timeline_change WHERE session_id = _session AND number = ANY (_numbers);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    -- Of reasonings, labels and messages; then of turns.
    DELETE FROM timeline_text
     WHERE session_id = _session AND kind IN (1, 3, 5) AND number = ANY (_numbers);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    DELETE FROM timeline_text
     WHERE session_id = _session AND kind = 2 AND number = ANY (_turns);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    DELETE FROM timeline_open WHERE session_id = _session AND number = ANY (_numbers);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    DELETE FROM timeline_label WHERE session_id = _session AND number = ANY (_numbers);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    DELETE FROM timeline_note WHERE session_id = _session AND number = ANY (_numbers);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    -- Keys of requests go with the versions that they made; this one made the session.
    DELETE FROM timeline_requestkey r USING timeline_version v, timeline_session s
     WHERE v.session_id = _session AND v.number = 0 AND 0 = ANY (_numbers)
       AND s.id = _session AND r.project_id = s.project_id AND r.key = v.request_key
       AND r.session_id = _session;
    -- A title that one of the first turns gave.
    DELETE FROM timeline_opening
     WHERE session_id = _session AND EXISTS (
           SELECT FROM unnest(_turns) t (number) WHERE t.number <= 10);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    -- A summary goes with the turns that it begins or ends with.
    DELETE FROM timeline_text t USING timeline_summary m
     WHERE t.session_id = _session AND t.kind = 4 AND t.number = m.ordinal
       AND m.session_id = _session
       AND (m.first_turn = ANY (_turns) OR m.last_turn = ANY (_turns));
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    DELETE FROM timeline_summary
     WHERE session_id = _session
       AND (first_turn = ANY (_turns) OR last_turn = ANY (_turns));
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    SELECT coalesce(sum(octet_length(t.data)), 0) INTO bytes FROM timeline_turn t
     WHERE t.session_id = _session AND t.turn_number = ANY (_turns);
    DELETE FROM timeline_turn
     WHERE session_id = _session AND turn_number = ANY (_turns);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    DELETE FROM timeline_version
     WHERE session_id = _session AND number = ANY (_numbers);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    SELECT bytes + coalesce(sum(octet_length(b.data)), 0) INTO bytes
      FROM timeline_body b
     WHERE b.session_id = _session AND b.number = ANY (_numbers);
    DELETE FROM timeline_body WHERE session_id = _session AND number = ANY (_numbers);
    GET DIAGNOSTICS bodies = ROW_COUNT;
    rows := rows + bodies;
    PERFORM set_config('stepback.retention', 'off', true);
END
$$;

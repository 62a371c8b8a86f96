-- Empty what versions of a session hold; their headers stand, and the chain recomputes.
--
-- As timeline_prune_v2, but rows stay: of a version its reasoning, its step and the
-- changes shown with it go, of a turn its reasoning and its parts, of a body its bytes.
-- Their salts go too, so that nobody finds by guessing what was committed to. Codec 0
-- says that a body or a turn was emptied.
CREATE FUNCTION timeline_empty_v2(
    _session varchar, _numbers bigint[], _turns bigint[],
    _from bigint[], _to bigint[], _codecs bigint[], _salts bytea[], _sizes bigint[],
    _data bytea[],
    OUT rows bigint, OUT bytes bigint, OUT bodies bigint
) LANGUAGE plpgsql AS $$
DECLARE
    _count bigint;
BEGIN
    PERFORM set_config('stepback.retention', 'on', true);
    PERFORM timeline_empty_bodies_v2(
        _session, _numbers, _from, _to, _codecs, _salts, _sizes, _data);
    DELETE FROM timeline_change WHERE session_id = _session AND number = ANY (_numbers);
    GET DIAGNOSTICS rows = ROW_COUNT;
    DELETE FROM timeline_text
     WHERE session_id = _session AND kind IN (1, 5) AND number = ANY (_numbers);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    DELETE FROM timeline_text
     WHERE session_id = _session AND kind = 2 AND number = ANY (_turns);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    -- A title that one of the first turns gave.
    DELETE FROM timeline_opening
     WHERE session_id = _session AND EXISTS (
           SELECT FROM unnest(_turns) t (number) WHERE t.number <= 10);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    -- A summary tells what was said: it goes with the last turn that it tells of.
    DELETE FROM timeline_text t USING timeline_summary m
     WHERE t.session_id = _session AND t.kind = 4 AND t.number = m.ordinal
       AND m.session_id = _session AND m.last_turn = ANY (_turns);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    DELETE FROM timeline_summary
     WHERE session_id = _session AND last_turn = ANY (_turns);
    GET DIAGNOSTICS _count = ROW_COUNT;
    rows := rows + _count;
    SELECT coalesce(sum(octet_length(t.data)), 0) INTO bytes FROM timeline_turn t
     WHERE t.session_id = _session AND t.turn_number = ANY (_turns);
    UPDATE timeline_turn
       SET reasoning = NULL, codec = 0, data = '', size = 0,
           salt = CASE WHEN salt IS NOT NULL THEN ''::bytea END
     WHERE session_id = _session AND turn_number = ANY (_turns);
    SELECT bytes + coalesce(sum(octet_length(b.data)), 0) INTO bytes
      FROM timeline_body b
     WHERE b.session_id = _session AND b.number = ANY (_numbers);
    UPDATE timeline_body
       SET base_number = NULL, depth = 0, codec = 0, data = '', size = 0, salt = ''
     WHERE session_id = _session AND number = ANY (_numbers);
    GET DIAGNOSTICS bodies = ROW_COUNT;
    UPDATE timeline_version
       SET reasoning = NULL, reason_code = NULL, step_number = NULL, step_parent_id = NULL,
           objective_status = NULL, schema_version = NULL, release = NULL,
           model = NULL, changes = '[]', salt = ''
     WHERE session_id = _session AND number = ANY (_numbers);
    PERFORM set_config('stepback.retention', 'off', true);
END
$$;

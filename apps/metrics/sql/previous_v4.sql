-- The hour in which a session had this measure and value last, before version `_number`
-- in hour `_hour`; null if it never had. Releases and models are counted by name as far
-- as they are of the first ten of a session in an hour (see `seen`), so an hour in which
-- this one was of the others is passed over.
CREATE FUNCTION metrics_previous_v4(
    _measure text, _value text, _session varchar, _number bigint, _hour timestamptz
) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
    _version timestamptz;
    _turn timestamptz;
    _earlier timestamptz;
    _last bigint;
    _before bigint;
    _first bigint;
    _others bigint;
BEGIN
    IF _measure = 'active' THEN
        SELECT v.created_at INTO _version FROM timeline_version v
         WHERE v.session_id = _session AND v.number = _number - 1;
        SELECT t.created_at INTO _turn FROM timeline_turn t
         WHERE t.session_id = _session AND t.created_at < _hour
         ORDER BY t.turn_number DESC LIMIT 1;
        _version := date_trunc('hour', greatest(_version, _turn), 'UTC');
    ELSIF _measure IN ('release', 'model', 'release_rolled_back', 'model_rolled_back') THEN
        LOOP
            SELECT l.number, date_trunc('hour', l.created_at, 'UTC') INTO _last, _version
              FROM metrics_laid_v2(_session, _measure) l
             WHERE l.number < _number AND l.value = _value
               AND (l.is_failure OR _measure IN ('release', 'model'))
             ORDER BY l.number DESC LIMIT 1;
            -- What was not told has no name to be one of the first ten.
            EXIT WHEN NOT FOUND OR _value = '';
            -- Most often the hour has so few versions that nothing need be counted.
            SELECT v.created_at INTO _earlier FROM timeline_version v
             WHERE v.session_id = _session AND v.number = _last - 10;
            EXIT WHEN NOT FOUND OR _earlier < _version;
            SELECT v.number INTO _before FROM timeline_version v
             WHERE v.session_id = _session AND v.number < _last - 10
               AND v.created_at < _version
             ORDER BY v.number DESC LIMIT 1;
            _before := coalesce(_before, -1);
            SELECT l.number INTO _first FROM metrics_laid_v2(_session, _measure) l
             WHERE l.number > _before AND l.number <= _last AND l.value = _value
             ORDER BY l.number LIMIT 1;
            SELECT count(DISTINCT l.value) INTO _others
              FROM metrics_laid_v2(_session, _measure) l
             WHERE l.number > _before AND l.number < _first AND l.value <> '';
            EXIT WHEN _others < 10;
            _number := _before + 1;
        END LOOP;
    ELSIF _measure = 'escalated' THEN
        SELECT date_trunc('hour', v.created_at, 'UTC') INTO _version
          FROM timeline_version v
         WHERE v.session_id = _session AND v.number < _number
           AND v.actor_kind = 'key' AND v.op IN ('create', 'update', 'replace', 'turn')
           AND (v.objective_status LIKE 'WAITING\_FOR%'
                OR v.changes @> '[{"pointer": "/escalated", "after": true}]'
                OR v.changes @> '[{"pointer": "/escalated_to_human", "after": true}]')
         ORDER BY v.number DESC LIMIT 1;
    ELSIF _measure = 'flagged' THEN
        SELECT date_trunc('hour', v.created_at, 'UTC') INTO _version
          FROM timeline_version v
         WHERE v.session_id = _session AND v.number < _number
           AND v.actor_kind = 'key' AND v.restored_number IS NULL AND v.flags <> '[]'
         ORDER BY v.number DESC LIMIT 1;
    ELSIF _measure = 'closed' THEN
        -- A session is closed once, for good.
        _version := NULL;
    ELSE
        SELECT date_trunc('hour', v.created_at, 'UTC') INTO _version
          FROM timeline_version v
         WHERE v.session_id = _session AND v.number < _number
           AND v.restored_number IS NOT NULL AND v.undo_of IS NULL
           AND _value = CASE _measure
               WHEN 'reason' THEN left(coalesce(v.reason_code, ''), 200)
               WHEN 'actor' THEN left(v.actor_kind || ':' || v.actor_label, 200)
               ELSE '' END
         ORDER BY v.number DESC LIMIT 1;
    END IF;
    RETURN CASE WHEN _version < _hour THEN _version END;
END
$$;

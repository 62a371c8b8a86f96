-- The hour in which a session had this measure and value last, before version `_number`
-- in hour `_hour`; null if it never had.
CREATE FUNCTION metrics_previous_v1(
    _measure text, _value text, _session varchar, _number bigint, _hour timestamptz
) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
    _version timestamptz;
    _turn timestamptz;
BEGIN
    IF _measure = 'active' THEN
        SELECT v.created_at INTO _version FROM timeline_version v
         WHERE v.session_id = _session AND v.number = _number - 1;
        SELECT t.created_at INTO _turn FROM timeline_turn t
         WHERE t.session_id = _session AND t.created_at < _hour
         ORDER BY t.turn_number DESC LIMIT 1;
        _version := greatest(_version, _turn);
    ELSIF _measure IN ('release', 'model') THEN
        SELECT v.created_at INTO _version
          FROM timeline_version v
          LEFT JOIN timeline_version bad
            ON bad.session_id = v.session_id AND bad.number = v.restored_number + 1
           AND v.undo_of IS NULL
         WHERE v.session_id = _session AND v.number < _number
           AND _value = left(CASE _measure
               WHEN 'release' THEN coalesce(bad.release, v.release)
               ELSE coalesce(bad.model, v.model) END, 200)
         ORDER BY v.number DESC LIMIT 1;
    ELSE
        SELECT v.created_at INTO _version
          FROM timeline_version v
          JOIN timeline_version bad
            ON bad.session_id = v.session_id AND bad.number = v.restored_number + 1
         WHERE v.session_id = _session AND v.number < _number
           AND v.restored_number IS NOT NULL AND v.undo_of IS NULL
           AND _value = CASE _measure
               WHEN 'reason' THEN left(coalesce(v.reason_code, ''), 200)
               WHEN 'actor' THEN left(v.actor_kind || ':' || v.actor_label, 200)
               WHEN 'release_rolled_back' THEN left(coalesce(bad.release, v.release), 200)
               WHEN 'model_rolled_back' THEN left(coalesce(bad.model, v.model), 200)
               ELSE '' END
         ORDER BY v.number DESC LIMIT 1;
    END IF;
    _version := date_trunc('hour', _version, 'UTC');
    RETURN CASE WHEN _version < _hour THEN _version END;
END
$$;

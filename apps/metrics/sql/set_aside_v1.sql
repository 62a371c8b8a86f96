-- How many versions a rollback took out of the live line: those that are live as seen
-- from `_head`, the last version before it, and not as seen from `_target`, which it
-- restored. A version's parent is the one before it, a rollback's the one it restored.
-- Both walk up to the first version they share, over the rollbacks alone.
CREATE FUNCTION metrics_set_aside_v1(_session varchar, _head bigint, _target bigint)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    _back record;
    _aside bigint := 0;
BEGIN
    WHILE _head <> _target LOOP
        SELECT v.number, v.restored_number INTO _back FROM timeline_version v
         WHERE v.session_id = _session AND v.restored_number IS NOT NULL
           AND v.number > least(_head, _target) AND v.number <= greatest(_head, _target)
         ORDER BY v.number DESC LIMIT 1;
        IF _head > _target THEN
            IF NOT FOUND THEN
                RETURN _aside + _head - _target;
            END IF;
            _aside := _aside + _head - _back.number + 1;
            _head := _back.restored_number;
        ELSE
            IF NOT FOUND THEN
                RETURN _aside;
            END IF;
            _target := _back.restored_number;
        END IF;
    END LOOP;
    RETURN _aside;
END
$$;

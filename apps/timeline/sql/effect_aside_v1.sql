-- Say whether a version is set aside as seen from a head; NULL where there is none yet.
--
-- Walk down from the head: it is live within the stretch from a rollback up, and the
-- walk goes on from the version that the rollback restored.
CREATE FUNCTION timeline_effect_aside_v1(
    _session varchar, _head bigint, _number bigint
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    _jump record;
BEGIN
    IF _number > _head OR _number < 0 THEN
        RETURN NULL;
    END IF;
    LOOP
        SELECT v.number, v.restored_number INTO _jump FROM timeline_version v
         WHERE v.session_id = _session AND v.restored_number IS NOT NULL
           AND v.number <= _head
         ORDER BY v.number DESC LIMIT 1;
        IF NOT FOUND OR _number >= _jump.number THEN
            RETURN _number > _head;
        END IF;
        _head := _jump.restored_number;
    END LOOP;
END
$$;

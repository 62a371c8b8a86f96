-- Say whether the state of a head may know what an effect came to on version `_number`.
--
-- What came to be on version n, the version after it may know: in the head's own stretch
-- of its lineage that is everything below `_top` (one above the head, if nothing follows
-- it), behind each rollback everything below the version that made the restored body.
CREATE FUNCTION timeline_effect_known_v1(
    _session varchar, _head bigint, _top bigint, _number bigint
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    _jump record;
BEGIN
    LOOP
        SELECT v.number, v.body_number INTO _jump FROM timeline_version v
         WHERE v.session_id = _session AND v.restored_number IS NOT NULL
           AND v.number <= _head
         ORDER BY v.number DESC LIMIT 1;
        IF NOT FOUND OR _number >= _jump.number THEN
            RETURN _number < _top;
        END IF;
        _head := _jump.body_number;
        _top := _jump.body_number;
    END LOOP;
END
$$;

-- Write anew, as key frames, the bodies that kept versions need of those that go.
--
-- A body that a kept version shows moves, with its salt, to the first such version, and
-- the others of them show it there; `_numbers` go, and go on showing what they do, as
-- do versions that were emptied before. Whoever is kept and shows a body that goes shows
-- another's, and is found among those that do.
--
-- For the functions of retention alone, which have set their flag and hold the session.
CREATE FUNCTION timeline_empty_bodies_v2(
    _session varchar, _numbers bigint[], _from bigint[], _to bigint[],
    _codecs bigint[], _salts bytea[], _sizes bigint[], _data bytea[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR _at IN 1 .. coalesce(cardinality(_from), 0) LOOP
        IF _from[_at] = _to[_at] THEN
            UPDATE timeline_body
               SET base_number = NULL, depth = 0, codec = _codecs[_at],
                   data = _data[_at]
             WHERE session_id = _session AND number = _from[_at];
        ELSE
            INSERT INTO timeline_body (
                session_id, number, base_number, depth, codec, salt, data, size)
            VALUES (
                _session, _to[_at], NULL, 0, _codecs[_at], _salts[_at], _data[_at],
                _sizes[_at]);
            UPDATE timeline_version SET body_number = _to[_at]
             WHERE session_id = _session AND body_number = _from[_at]
               AND body_number <> number AND number <> ALL (_numbers) AND salt <> '';
        END IF;
    END LOOP;
END
$$;

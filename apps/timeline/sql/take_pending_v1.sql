-- Lock what is to be projected next: rows of the sessions behind `_after`, in the order
-- of their keys. Or of one session, `_session`, all that waits.
--
-- Each session is projected in its own order without a gap. Its first pending row is
-- locked before the others, and whoever wants it too stays away from the whole session
-- (or waits, where one session is asked for); so a row is projected once, whoever else
-- projects, and what is appended meanwhile comes behind. Which rows are visible is
-- enough: a session's versions commit in the order of their numbers.
--
-- Some sessions may have more than `_most` rows waiting, so nobody's backlog holds up
-- the others: a session that is cut is left behind and goes on in the next round.
-- `_keys` bounds the work by the paths and terms in the rows; one row is always taken.
--
-- `reached` is the last session that was looked at, NULL behind the last of all.
CREATE FUNCTION timeline_take_pending_v1(
    _after varchar, _most bigint, _keys bigint, _session varchar,
    OUT taken bigint, OUT reached varchar,
    OUT sessions varchar[], OUT numbers bigint[], OUT turns bigint[]
) LANGUAGE plpgsql AS $$
BEGIN
    IF _session IS NULL THEN
        -- Looked at without a lock; what is not there any more is missed below.
        SELECT array_agg(DISTINCT n.session_id), max(n.session_id), count(*)
          INTO sessions, reached, taken
          FROM (SELECT p.session_id FROM timeline_pending p
                 WHERE p.session_id > _after
                 ORDER BY p.session_id, p.number, p.turn_number LIMIT _most) n;
        IF taken < _most THEN
            reached := NULL;
        END IF;
        -- Exactly its first row: a LIMIT would go on to one that nobody holds.
        SELECT array_agg(l.session_id) INTO sessions
          FROM (SELECT p.session_id
                  FROM unnest(sessions) s (id)
                 CROSS JOIN LATERAL (
                       SELECT f.number, f.turn_number FROM timeline_pending f
                        WHERE f.session_id = s.id
                        ORDER BY f.number, f.turn_number LIMIT 1) f
                  JOIN timeline_pending p
                    ON p.session_id = s.id AND p.number = f.number
                   AND p.turn_number = f.turn_number
                   FOR UPDATE OF p SKIP LOCKED) l;
    ELSE
        sessions := ARRAY[_session];
    END IF;

    SELECT array_agg(k.session_id), array_agg(k.number), array_agg(k.turn_number),
           count(*)
      INTO sessions, numbers, turns, taken
      FROM (SELECT l.*, sum(l.keys) OVER (
                       ORDER BY l.session_id, l.number, l.turn_number) AS so_far
              FROM (SELECT p.session_id, p.number, p.turn_number,
                           cardinality(p.path_keys) + cardinality(p.term_keys) AS keys
                      FROM timeline_pending p
                     WHERE p.session_id = ANY (sessions)
                     ORDER BY p.session_id, p.number, p.turn_number
                     LIMIT CASE WHEN _session IS NULL THEN _most END
                       FOR UPDATE) l) k
     WHERE _session IS NOT NULL OR k.so_far - k.keys < _keys;
END
$$;

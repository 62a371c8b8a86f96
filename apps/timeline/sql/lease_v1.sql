-- Take, keep or give back the lease of a shared document, under its row lock.
--
-- A fence is handed out once and only grows: whoever takes a lease that is over, or was
-- given back, is given a greater one. Who holds it already and asks again (its answer
-- was lost) is given the same. `_take` takes; else `_fence` names what is kept, or
-- given back with `_seconds` of 0. Time is the database's, read once the lock is held:
-- a caller's clock decides nothing.
--
-- Outcomes: unknown (no such document here, or it is deleted), held (by another), stale (the fence is not the newest), lapsed (it is, but its time
-- is over), same (held already, or given back already), taken, kept, released.
CREATE FUNCTION timeline_lease_v1(
    _session varchar, _project varchar, _take boolean, _holder text, _actor_id text,
    _fence bigint, _seconds bigint,
    OUT outcome text, OUT holder text, OUT fence bigint, OUT until timestamptz,
    OUT seconds_left double precision
) LANGUAGE plpgsql AS $$
DECLARE
    _now timestamptz;
    _lease timeline_lease;
    _is_live boolean;
    _is_theirs boolean;
BEGIN
    PERFORM FROM timeline_session s
      WHERE s.id = _session AND s.project_id = _project AND s.kind = 'shared'
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        outcome := 'unknown';
        RETURN;
    END IF;
    SELECT CASE WHEN v.hold = 'deleted' THEN 'unknown' END INTO outcome
      FROM timeline_version v
     WHERE v.session_id = _session ORDER BY v.number DESC LIMIT 1;
    SELECT l.* INTO _lease FROM timeline_lease l WHERE l.session_id = _session;
    _now := clock_timestamp();
    _is_live := coalesce(_lease.until > _now, false);
    _is_theirs := coalesce(
        _lease.holder = _holder AND _lease.actor_id = _actor_id, false);
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;

    IF _take THEN
        outcome := CASE WHEN NOT _is_live THEN 'taken'
                        WHEN _is_theirs THEN 'same' ELSE 'held' END;
    ELSE
        outcome := CASE
            WHEN _lease.fence IS NULL OR _lease.fence <> _fence
              OR _lease.actor_id <> _actor_id THEN 'stale'
            WHEN _is_live AND _seconds = 0 THEN 'released'
            WHEN _is_live THEN 'kept'
            WHEN _seconds = 0 THEN 'same' ELSE 'lapsed' END;
    END IF;

    IF outcome = 'taken' THEN
        INSERT INTO timeline_lease AS l (session_id, holder, actor_id, fence, until)
        VALUES (_session, _holder, _actor_id, 1, _now + make_interval(secs => _seconds))
            ON CONFLICT (session_id) DO UPDATE
           SET holder = excluded.holder, actor_id = excluded.actor_id,
               fence = l.fence + 1, until = excluded.until
        RETURNING l.* INTO _lease;
    ELSIF outcome = 'kept' OR (outcome = 'same' AND _take) THEN
        -- Never less time than it has: an answer that was lost took nothing away.
        UPDATE timeline_lease l
           SET until = greatest(l.until, _now + make_interval(secs => _seconds))
         WHERE l.session_id = _session RETURNING l.* INTO _lease;
    ELSIF outcome = 'released' THEN
        UPDATE timeline_lease l SET until = _now
         WHERE l.session_id = _session RETURNING l.* INTO _lease;
    END IF;
    holder := _lease.holder;
    fence := _lease.fence;
    until := _lease.until;
    seconds_left := greatest(extract(epoch FROM _lease.until - _now), 0);
END
$$;

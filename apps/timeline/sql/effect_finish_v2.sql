-- Write what came of an effect: said by who ran it, or settled by a person.
--
-- What happened outside has happened, so neither a hold nor a suspension refuses it.
-- With `_settles` a person says it of an effect that is unknown, whatever its attempt.
--
-- The third failed attempt at a tool in the session, with no success of that tool
-- between, is told by an event of its own, `_escalation_id`: once, until it succeeds.
--
-- Outcomes: those of timeline_effect_lock_v1; absent (no such effect), replay (this
-- attempt was finished so before), settled (it is not unknown), attempt (another one is
-- the newest), finished (it was finished otherwise, or the record has answered it),
-- stored. `agent_id` and what follows it say whom its result may answer.
CREATE FUNCTION timeline_effect_finish_v2(
    _session varchar, _project varchar, _now timestamptz, _api_key varchar,
    _request_id text, _actor_kind text, _actor_id text, _actor_label text,
    _effect varchar, _attempt bigint, _settles boolean, _status text, _result bytea,
    _reference text, _result_digest text, _external_id text, _reason text,
    _digest bytea, _event_id text, _action text, _escalation_id text,
    OUT outcome text, OUT attempt bigint, OUT status text, OUT head_number bigint,
    OUT counts_as text, OUT agent_id varchar, OUT call_digest bytea, OUT tool text,
    OUT cache_scope text, OUT begun_at timestamptz
) LANGUAGE plpgsql AS $$
DECLARE
    _lock record;
    _last timeline_effectstep;
BEGIN
    SELECT l.* INTO _lock
      FROM timeline_effect_lock_v1(_session, _project, _now, _api_key) l;
    outcome := _lock.outcome;
    head_number := _lock.head_number;
    IF outcome <> 'free' THEN
        RETURN;
    END IF;
    agent_id := _lock.agent_id;
    SELECT coalesce(e.effect_class, 'irreversible'), e.call_digest, e.tool,
           e.cache_scope, e.created_at
      INTO counts_as, call_digest, tool, cache_scope, begun_at
      FROM timeline_effect e WHERE e.session_id = _session AND e.id = _effect;
    IF NOT FOUND THEN
        outcome := 'absent';
        RETURN;
    END IF;
    SELECT t.* INTO _last FROM timeline_effectstep t
     WHERE t.session_id = _session AND t.effect_id = _effect
     ORDER BY t.ordinal DESC LIMIT 1;
    attempt := _last.attempt;
    status := CASE WHEN _last.status = 'begun' AND _last.deadline <= _now
                   THEN 'unknown' ELSE _last.status END;
    outcome := CASE
        WHEN NOT _settles AND EXISTS (
            SELECT FROM timeline_effectstep t
             WHERE t.session_id = _session AND t.effect_id = _effect
               AND t.attempt = _attempt AND t.digest = _digest) THEN 'replay'
        WHEN _settles AND status <> 'unknown' THEN 'settled'
        WHEN NOT _settles AND attempt <> _attempt THEN 'attempt'
        WHEN _last.status IN ('done', 'failed', 'reused')
          OR (_last.status = 'unknown' AND _status = 'unknown') THEN 'finished'
        ELSE 'stored' END;
    IF outcome <> 'stored' THEN
        RETURN;
    END IF;
    PERFORM timeline_effect_step_v1(
        _session, _project, _effect, _last.ordinal + 1, _status, attempt, head_number,
        NULL, _result, _reference, _result_digest, _external_id, _reason, _digest,
        greatest(_lock.created_at, _now), counts_as, _actor_kind, _actor_id, _actor_label,
        _request_id, _event_id, _action);
    status := _status;
    IF _status = 'failed' AND timeline_effect_failures_v1(_session, tool) = 3 THEN
        INSERT INTO audit_event (
            stream_id, id, project_id, action, resource_type, resource_id, number,
            actor_kind, actor_id, actor_label, details, request_id, created_at)
        VALUES (
            _session, _escalation_id, _project, 'session.escalated', 'session', _session,
            head_number, _actor_kind, _actor_id, _actor_label,
            jsonb_build_object('because', 'failed_attempts', 'effect_id', _effect),
            _request_id, greatest(_lock.created_at, _now));
        INSERT INTO audit_outbox (stream_id, event_id, at)
        VALUES (_session, _escalation_id, greatest(_lock.created_at, _now));
    END IF;
END
$$;

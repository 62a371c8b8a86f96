-- Write the next step of an effect, its event, and whether its end is waited for.
--
-- The caller holds the session's lock. Time never runs backwards in an effect, whatever
-- the host's clock does. Without `_event_id` the caller records the act itself.
CREATE FUNCTION timeline_effect_step_v1(
    _session varchar, _project varchar, _effect varchar, _ordinal bigint,
    _status text, _attempt bigint, _head bigint, _deadline timestamptz,
    _result bytea, _reference text, _result_digest text, _external_id text,
    _reason text, _digest bytea, _at timestamptz, _class text,
    _actor_kind text, _actor_id text, _actor_label text, _request_id text,
    _event_id text, _action text
) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    _before timestamptz;
BEGIN
    SELECT t.created_at INTO _before FROM timeline_effectstep t
     WHERE t.session_id = _session AND t.effect_id = _effect
       AND t.ordinal = _ordinal - 1;
    _at := greatest(_before, _at);
    INSERT INTO timeline_effectstep (
        session_id, effect_id, ordinal, status, attempt, head_number, deadline, result,
        result_reference, result_digest, external_id, reason, digest, actor_kind,
        actor_id, actor_label, created_at)
    VALUES (
        _session, _effect, _ordinal, _status, _attempt, _head, _deadline, _result,
        _reference, _result_digest, _external_id, _reason, _digest, _actor_kind,
        _actor_id, _actor_label, _at);
    IF _status = 'begun' THEN
        INSERT INTO timeline_effectdue (session_id, effect_id, due_at)
        VALUES (_session, _effect, _deadline)
            ON CONFLICT (session_id, effect_id) DO UPDATE SET due_at = _deadline;
    ELSE
        DELETE FROM timeline_effectdue d
         WHERE d.session_id = _session AND d.effect_id = _effect;
    END IF;
    IF _event_id IS NOT NULL THEN
        INSERT INTO audit_event (
            stream_id, id, project_id, action, resource_type, resource_id, number,
            actor_kind, actor_id, actor_label, details, request_id, created_at)
        VALUES (
            _session, _event_id, _project, _action, 'effect', _effect, _head,
            _actor_kind, _actor_id, _actor_label,
            jsonb_build_object('status', _status, 'attempt', _attempt, 'class', _class),
            _request_id, _at);
        INSERT INTO audit_outbox (stream_id, event_id, at)
        VALUES (_session, _event_id, _at);
    END IF;
    RETURN _at;
END
$$;

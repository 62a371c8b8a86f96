-- Begin an effect, or its next attempt, or say why it must not run.
--
-- Called once, in autocommit, unless a gate is to be asked: then first with
-- `_only_asks`, which writes nothing and keeps the lock for the transaction around it.
--
-- Outcomes, in the order of the checks: those of timeline_effect_lock_v1; differs (the
-- key stands for another call or class), done, in_progress, unsettled (unknown, and
-- only a read or a tool that takes our key may try again), suspended, held, absent (no
-- version `_number`), aside (a rollback has set it aside), may_begin (`_only_asks`),
-- begun. A repetition is answered before holds are asked about: it changes nothing.
--
-- With `_source_effect` the caller, who holds the lock, has found a result that answers
-- the call: then the outcome is reused in place of begun, and tried where the key stands
-- for a call that was tried before, which is begun again in the usual way.
CREATE FUNCTION timeline_effect_begin_v2(
    _session varchar, _project varchar, _now timestamptz, _api_key varchar,
    _refused text[], _suspends boolean, _only_asks boolean, _request_id text,
    _actor_kind text, _actor_id text, _actor_label text,
    _id varchar, _key varchar, _tool text, _call_digest bytea, _call_id text,
    _class text, _arguments bytea, _arguments_size bigint, _undo bytea,
    _undo_until timestamptz, _takes_key boolean, _number bigint,
    _deadline timestamptz, _event_id text, _cache_scope text,
    _source_session varchar, _source_effect varchar, _source_number bigint,
    _source_at timestamptz, _result bytea, _reference text, _result_digest text,
    _external_id text,
    OUT outcome text, OUT effect_id varchar, OUT attempt bigint, OUT number bigint,
    OUT head_number bigint, OUT hold text, OUT agent_id varchar,
    OUT deadline timestamptz, OUT created_at timestamptz
) LANGUAGE plpgsql AS $$
DECLARE
    _lock record;
    _effect timeline_effect;
    _last timeline_effectstep;
    _is_aside boolean;
BEGIN
    SELECT l.* INTO _lock
      FROM timeline_effect_lock_v1(_session, _project, _now, _api_key) l;
    outcome := _lock.outcome;
    head_number := _lock.head_number;
    hold := _lock.hold;
    agent_id := _lock.agent_id;
    IF outcome <> 'free' THEN
        RETURN;
    END IF;

    SELECT e.* INTO _effect FROM timeline_effect e
     WHERE e.session_id = _session AND e.key = _key;
    IF FOUND THEN
        SELECT t.* INTO _last FROM timeline_effectstep t
         WHERE t.session_id = _session AND t.effect_id = _effect.id
         ORDER BY t.ordinal DESC LIMIT 1;
        effect_id := _effect.id;
        attempt := _last.attempt;
        deadline := _last.deadline;
        outcome := CASE
            WHEN _effect.call_digest <> _call_digest
              OR _effect.effect_class IS DISTINCT FROM _class THEN 'differs'
            WHEN _last.status IN ('done', 'reused') THEN 'done'
            WHEN _last.status = 'begun' AND _last.deadline > _now THEN 'in_progress'
            WHEN _last.status <> 'failed' AND _class IS DISTINCT FROM 'read'
             AND NOT _effect.takes_provider_key THEN 'unsettled'
            WHEN _source_effect IS NOT NULL THEN 'tried'
            ELSE 'free' END;
        IF outcome <> 'free' THEN
            RETURN;
        END IF;
    END IF;

    number := coalesce(_number, head_number);
    _is_aside := timeline_effect_aside_v1(
        _session, head_number, timeline_effect_begin_v2.number);
    outcome := CASE
        WHEN _suspends AND _lock.agent_status = 'suspended' THEN 'suspended'
        WHEN hold = ANY (_refused) THEN 'held'
        WHEN _is_aside IS NULL THEN 'absent'
        WHEN _is_aside THEN 'aside'
        WHEN _only_asks THEN 'may_begin'
        WHEN _source_effect IS NOT NULL THEN 'reused'
        ELSE 'begun' END;
    attempt := coalesce(_last.attempt, 0) + 1;
    IF outcome NOT IN ('begun', 'reused') THEN
        RETURN;
    END IF;

    created_at := greatest(_lock.created_at, _now);
    IF _effect.id IS NULL THEN
        effect_id := _id;
        INSERT INTO timeline_effect (
            session_id, id, key, tool, call_digest, call_id, effect_class, arguments,
            arguments_size, undo, undo_until, takes_provider_key, number, cache_scope,
            source_session_id, source_effect_id, source_number, source_at, actor_kind,
            actor_id, actor_label, created_at)
        VALUES (
            _session, _id, _key, _tool, _call_digest, _call_id, _class, _arguments,
            _arguments_size, _undo, _undo_until, _takes_key,
            timeline_effect_begin_v2.number, _cache_scope, _source_session,
            _source_effect, _source_number, _source_at, _actor_kind, _actor_id,
            _actor_label,
            timeline_effect_begin_v2.created_at);
    END IF;
    deadline := CASE WHEN outcome = 'begun' THEN _deadline END;
    created_at := timeline_effect_step_v1(
        _session, _project, effect_id, coalesce(_last.ordinal, 0) + 1, outcome,
        attempt, head_number, timeline_effect_begin_v2.deadline, _result, _reference,
        _result_digest, _external_id, NULL, NULL,
        timeline_effect_begin_v2.created_at, coalesce(_class, 'irreversible'),
        _actor_kind, _actor_id, _actor_label, _request_id, _event_id,
        'effect.' || outcome);
END
$$;

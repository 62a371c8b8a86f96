-- Append to a session: a version, a turn, or a turn together with its version.
--
-- Called once, in autocommit, so that everything below commits or nothing does. The
-- session row is locked first: all writers take their locks in the same order, and
-- what is read below cannot change any more. The primary key (session, number) stays
-- the arbiter all the same. The lock costs nothing that can be measured: 0.98 of the
-- time without it (two equal functions: 1.00), on one connection to a durable
-- PostgreSQL 18 with 2 KB of state (tests/benchmarks/appends.py).
--
-- The caller may have built on a head that it remembers, so it names the head's chain
-- value beside its number: a version that was lost in a failover, and whose number
-- another one took, is never built on. `_api_key` is the key that asks, NULL where no
-- key does; it is looked at under the lock, because it may have been revoked while the
-- caller waited for it.
--
-- `_op` is NULL where there is no version, `_turn_id` where there is no turn, `_data`
-- where the version shows the body of another one: `_body_number`. No foreign key says
-- that such a body exists (five of them were a fifth of this function), so it is looked
-- for here; the base of a delta is the body that the head shows.
--
-- Change rows, terms and texts are left to the projector (timeline_project_v1), and so
-- is whoever follows the events, in one row of timeline_pending; `_path_keys` is NULL
-- where a batch leaves its own.
--
-- Outcomes, in the order of the checks: unknown (no such session here, expired or
-- deleted, or a keyed document, which has functions of its own), revoked and expired
-- (the API key), replay (this request key was stored with this digest), reused (with
-- another), suspended (its agent, which is so too where it is deleted), held (the
-- head's hold is among `_refused`), fenced (a lease of the shared document stands in
-- the way; of a session nothing is looked at), watched (an app above decides on the
-- totals of the session's turns, and the caller has opened no transaction for it),
-- conflict (the head is not `_expected` with `_chain`), named (the version's name is
-- taken), currency (the session's turns cost in another), stored. Only `stored` has written anything.
-- `_usage` is what a turn says it used, null where it says nothing. Each turn carries
-- the totals up to itself, added up here under the lock, exact; cost is decimal text.
CREATE FUNCTION timeline_append_v10(
    _session varchar, _project varchar, _expected bigint, _chain bytea,
    _now timestamptz, _api_key varchar, _refused text[], _suspends boolean,
    _kind varchar, _fence bigint,
    -- The request, and who wrote it.
    _key text, _digest bytea, _request_id text,
    _actor_kind text, _actor_id text, _actor_label text, _reasoning text,
    -- The version.
    _op text, _hold text, _restored_number bigint, _undo_of bigint, _reason_code text,
    _external_id text, _trace_id text, _step_number bigint, _step_parent_id text,
    _objective_status text, _schema_version text, _release text, _model text,
    _size bigint, _flags jsonb, _changes jsonb, _change_count bigint,
    _changes_truncated boolean, _version_key text, _first_number bigint,
    _salt bytea, _reasoning_digest bytea, _step_digest bytea, _commitment bytea,
    _leaf bytea,
    -- Where it was merged from, null in all others.
    _source_session_id varchar, _source_number bigint, _source_digest bytea,
    _source_opaque boolean,
    -- Its body.
    _body_number bigint, _base_number bigint, _depth bigint, _codec bigint,
    _body_salt bytea, _body_size bigint, _data bytea,
    -- The turn.
    _turn_id text, _turn_trace_id text, _before_number bigint,
    _state_after_sent boolean, _input_type text, _output_type text,
    _turn_codec bigint, _turn_size bigint, _turn_data bytea, _turn_text text,
    _turn_salt bytea, _turn_reasoning_digest bytea, _turn_commitment bytea,
    _turn_leaf bytea, _usage jsonb, _watches boolean,
    -- What is derived from them.
    _path_keys bytea[], _roles smallint[], _kinds smallint[], _value_keys bytea[],
    _term_keys bytea[], _term_values bytea[], _facets jsonb, _waits boolean,
    -- Their events.
    _event_id text, _action text, _resource_type text, _details jsonb,
    _turn_event_id text, _turn_details jsonb,
    OUT outcome text, OUT number bigint, OUT turn_number bigint,
    OUT head_number bigint, OUT hold text, OUT created_at timestamptz,
    OUT turn_chain bytea, OUT turn_created_at timestamptz, OUT spent jsonb
) LANGUAGE plpgsql AS $$
DECLARE
    _held record;
    _agent_status text;
    _past record;
    _head timeline_version;
    _new timeline_version;
BEGIN
    SELECT s.expires_at, s.expired_at, s.agent_id, s.is_watched INTO _held
      FROM timeline_session s
     WHERE s.id = _session AND s.project_id = _project
       AND s.kind = _kind
       FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        outcome := 'unknown';
        RETURN;
    END IF;

    -- Everything else is read only now, by statements of their own: whoever waited for
    -- the lock must see a revocation or a suspension that was answered meanwhile.
    IF _api_key IS NOT NULL THEN
        SELECT CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked'
                    WHEN k.expires_at <= _now THEN 'expired' END INTO outcome
          FROM accounts_apikey k WHERE k.id = _api_key AND k.project_id = _project;
        IF NOT FOUND OR outcome IS NOT NULL THEN
            outcome := coalesce(outcome, 'unknown');
            RETURN;
        END IF;
    END IF;

    IF _key IS NOT NULL THEN
        SELECT t.head_number AS number, t.turn_number, t.request_digest INTO _past
          FROM timeline_turn t
         WHERE t.session_id = _session AND t.request_key = _key;
        IF NOT FOUND THEN
            SELECT v.number, NULL::bigint AS turn_number, v.request_digest INTO _past
              FROM timeline_version v
             WHERE v.session_id = _session AND v.request_key = _key;
        END IF;
        IF FOUND THEN
            outcome := CASE WHEN _past.request_digest = _digest
                            THEN 'replay' ELSE 'reused' END;
            number := _past.number;
            turn_number := _past.turn_number;
            RETURN;
        END IF;
    END IF;

    SELECT a.status INTO _agent_status FROM agents_agent a WHERE a.id = _held.agent_id;
    SELECT v.* INTO _head FROM timeline_version v
     WHERE v.session_id = _session ORDER BY v.number DESC LIMIT 1;
    head_number := _head.number;
    hold := _head.hold;
    -- A turn's chain goes on from the last one's, and the first's, or the first's
    -- after turns from before there was a chain, from the session's id.
    IF _turn_id IS NOT NULL THEN
        SELECT t.turn_number, t.chain, t.created_at, t.spent
          INTO turn_number, turn_chain, turn_created_at, spent
          FROM timeline_turn t WHERE t.session_id = _session
         ORDER BY t.turn_number DESC LIMIT 1;
    END IF;
    -- A session whose end was recorded stays over, also for a caller whose clock is
    -- behind: what was open in it has been removed.
    outcome := CASE
        WHEN _head.hold = 'deleted' OR _held.expires_at <= _now
          OR _held.expired_at IS NOT NULL THEN 'unknown'
        WHEN _suspends AND _agent_status = 'suspended' THEN 'suspended'
        WHEN _head.hold = ANY (_refused) THEN 'held'
        WHEN CASE WHEN _kind = 'shared'
                  THEN timeline_fenced_v1(_session, _fence) END THEN 'fenced'
        WHEN _head.number <> _expected OR _head.chain <> _chain THEN 'conflict'
        WHEN _external_id IS NOT NULL
         AND EXISTS (SELECT FROM timeline_version v
                      WHERE v.session_id = _session
                        AND v.external_id = _external_id) THEN 'named'
        WHEN _usage ->> 'currency' <> spent ->> 'currency' THEN 'currency'
        WHEN _turn_id IS NOT NULL AND _held.is_watched AND NOT _watches THEN 'watched'
        ELSE 'stored' END;
    IF outcome <> 'stored' THEN
        turn_number := NULL;
        RETURN;
    END IF;

    -- Time never runs backwards in a session, whatever the host's clock does.
    created_at := greatest(_head.created_at, _now);
    number := _head.number;

    IF _op IS NOT NULL THEN
        number := _head.number + 1;
        IF _data IS NULL AND NOT EXISTS (
            SELECT FROM timeline_body b
             WHERE b.session_id = _session AND b.number = _body_number)
        THEN
            RAISE foreign_key_violation USING
                MESSAGE = 'the body that a version shows does not exist';
        END IF;
        INSERT INTO timeline_version (
            session_id, number, op, restored_number, undo_of, reason_code,
            parent_number, body_number, external_id, actor_kind, actor_id, actor_label,
            reasoning, trace_id, step_number, step_parent_id, objective_status,
            schema_version, release, model, size, flags, hold, changes, change_count,
            changes_truncated, request_key, request_digest, first_number, salt,
            reasoning_digest, step_digest, commitment, leaf, chain, requested_at,
            created_at, source_session_id, source_number, source_digest, source_opaque)
        VALUES (
            _session, timeline_append_v10.number, _op, _restored_number, _undo_of,
            _reason_code, _head.number,
            CASE WHEN _data IS NULL THEN _body_number
                 ELSE timeline_append_v10.number END,
            _external_id, _actor_kind, _actor_id, _actor_label,
            _reasoning, _trace_id, _step_number, _step_parent_id, _objective_status,
            _schema_version, _release, _model, _size, _flags, _hold, _changes,
            _change_count, _changes_truncated, _version_key, _digest, _first_number,
            _salt, _reasoning_digest, _step_digest, _commitment, _leaf,
            sha256('\x01'::bytea || _head.chain
                   || int8send(timeline_append_v10.number) || _leaf),
            _now, timeline_append_v10.created_at, _source_session_id, _source_number,
            _source_digest, _source_opaque)
            ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            outcome := 'conflict';
            RETURN;
        END IF;
        IF _data IS NOT NULL THEN
            INSERT INTO timeline_body (
                session_id, number, base_number, depth, codec, salt, data, size)
            VALUES (
                _session, timeline_append_v10.number, _base_number, _depth, _codec,
                _body_salt, _data, _body_size);
        END IF;
        -- What is open for people is of sessions.
        IF (_waits IS NOT NULL OR _flags <> '[]' OR _hold <> _head.hold
            OR _restored_number IS NOT NULL) AND _kind = 'session' THEN
            SELECT v.* INTO _new FROM timeline_version v
             WHERE v.session_id = _session AND v.number = timeline_append_v10.number;
            PERFORM timeline_set_open_v1(
                _project, _held.agent_id, _head, _new, _waits);
        END IF;
        INSERT INTO audit_event (
            stream_id, id, project_id, action, resource_type, resource_id, number,
            actor_kind, actor_id, actor_label, details, request_id, created_at)
        VALUES (
            _session, _event_id, _project, _action, _resource_type, _session,
            timeline_append_v10.number, _actor_kind, _actor_id, _actor_label, _details,
            _request_id, timeline_append_v10.created_at);
    END IF;

    IF _turn_id IS NOT NULL THEN
        turn_number := coalesce(turn_number, 0) + 1;
        -- Nor is it earlier than the turn before it, which need not have made a version.
        turn_created_at := greatest(turn_created_at, created_at);
        turn_chain := sha256(
            '\x03'::bytea
            || coalesce(turn_chain,
                        sha256('\x04'::bytea || convert_to(_session, 'UTF8')))
            || int8send(turn_number) || _turn_leaf);
        IF _usage IS NOT NULL THEN
            spent := jsonb_build_object(
                'turns', coalesce((spent ->> 'turns')::bigint, 0)
                         + (_usage ?| ARRAY['input_tokens', 'output_tokens',
                                            'cached_tokens', 'cost'])::int,
                'input_tokens', coalesce((spent ->> 'input_tokens')::numeric, 0)
                         + coalesce((_usage ->> 'input_tokens')::numeric, 0),
                'output_tokens', coalesce((spent ->> 'output_tokens')::numeric, 0)
                         + coalesce((_usage ->> 'output_tokens')::numeric, 0),
                'cached_tokens', coalesce((spent ->> 'cached_tokens')::numeric, 0)
                         + coalesce((_usage ->> 'cached_tokens')::numeric, 0),
                'tool_calls', coalesce((spent ->> 'tool_calls')::bigint, 0)
                         + (_usage ? 'tool_call')::int,
                'costed', coalesce((spent ->> 'costed')::bigint, 0)
                         + (_usage ? 'cost')::int,
                'filled_in', coalesce((spent ->> 'filled_in')::bigint, 0)
                         + (_usage ? 'price_id')::int,
                'cost', CASE WHEN spent ->> 'cost' IS NULL AND NOT _usage ? 'cost'
                             THEN NULL
                             ELSE trim_scale(
                                 coalesce((spent ->> 'cost')::numeric, 0)
                                 + coalesce((_usage ->> 'cost')::numeric, 0))::text END,
                'currency', coalesce(spent ->> 'currency', _usage ->> 'currency'));
        END IF;
        INSERT INTO timeline_turn (
            session_id, turn_number, id, head_number, made_version, before_number,
            state_after_sent, actor_kind, actor_id, actor_label, reasoning, trace_id,
            input_type, output_type, codec, data, size, request_key, request_digest,
            salt, reasoning_digest, commitment, leaf, chain, requested_at, created_at,
            usage, spent)
        VALUES (
            _session, timeline_append_v10.turn_number, _turn_id,
            timeline_append_v10.number, _op IS NOT NULL, _before_number,
            _state_after_sent, _actor_kind, _actor_id, _actor_label, _reasoning,
            _turn_trace_id, _input_type, _output_type, _turn_codec, _turn_data,
            _turn_size, _key, _digest, _turn_salt, _turn_reasoning_digest,
            _turn_commitment, _turn_leaf, turn_chain, _now,
            timeline_append_v10.turn_created_at, _usage, timeline_append_v10.spent);
        INSERT INTO audit_event (
            stream_id, id, project_id, action, resource_type, resource_id, number,
            actor_kind, actor_id, actor_label, details, request_id, created_at)
        VALUES (
            _session, _turn_event_id, _project, 'turn.added', 'turn', _turn_id,
            timeline_append_v10.number, _actor_kind, _actor_id, _actor_label,
            _turn_details
                || jsonb_build_object('turn_number', timeline_append_v10.turn_number),
            _request_id, timeline_append_v10.turn_created_at);
    END IF;

    -- What is derived waits to be projected; until then readers add it from this row.
    IF _path_keys IS NOT NULL THEN
        INSERT INTO timeline_pending (
            session_id, number, turn_number, first_number, project_id, at, event_ids,
            path_keys, roles, kinds, value_keys, term_keys, term_values, turn_text)
        VALUES (
            _session, timeline_append_v10.number,
            coalesce(timeline_append_v10.turn_number, 0),
            CASE WHEN _op IS NOT NULL THEN timeline_append_v10.number END,
            _project, timeline_append_v10.created_at,
            array_remove(ARRAY[_event_id, _turn_event_id], NULL), _path_keys, _roles,
            _kinds, _value_keys, _term_keys, _term_values, _turn_text);
    END IF;

    hold := coalesce(_hold, _head.hold);
    UPDATE timeline_session s
       SET head_number = timeline_append_v10.number,
           updated_at = greatest(s.updated_at, timeline_append_v10.created_at,
                                 timeline_append_v10.turn_created_at),
           status = CASE timeline_append_v10.hold WHEN 'open' THEN 'active'
                    ELSE timeline_append_v10.hold END,
           turn_count = coalesce(timeline_append_v10.turn_number, s.turn_count),
           -- What takes a rollback back is no rollback of its own (docs/metrics.md).
           rollback_count = s.rollback_count
                          + coalesce(_op = 'rollback' AND _undo_of IS NULL, false)::int,
           facets = coalesce(_facets, s.facets)
     WHERE s.id = _session;
    head_number := number;
END
$$;

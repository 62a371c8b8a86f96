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
-- Outcomes, in the order of the checks: unknown (no such session here, expired or
-- deleted), revoked and expired (the API key), replay (this request key was stored
-- with this digest), reused (with another), suspended (its agent), held (the head's
-- hold is among `_refused`), conflict (the head is not `_expected` with `_chain`),
-- named (the version's name is taken), stored. Only `stored` has written anything.
CREATE FUNCTION timeline_append_v4(
    _session varchar, _project varchar, _expected bigint, _chain bytea,
    _now timestamptz, _api_key varchar,
    _key text, _digest bytea, _refused text[], _suspends boolean,
    _version json, _body json, _data bytea, _turn json, _turn_data bytea,
    _path_keys bytea[], _roles smallint[], _kinds smallint[], _value_keys bytea[],
    _facets jsonb, _events json,
    _term_keys bytea[], _term_values bytea[], _turn_text text, _waits boolean,
    OUT outcome text, OUT number bigint, OUT turn_number bigint,
    OUT head_number bigint, OUT hold text, OUT created_at timestamptz
) LANGUAGE plpgsql AS $$
DECLARE
    _held record;
    _agent_status text;
    _past record;
    _head timeline_version;
    _new timeline_version;
    _stored timeline_body;
    _said timeline_turn;
    _event audit_event;
BEGIN
    SELECT s.expires_at, s.expired_at, s.agent_id INTO _held
      FROM timeline_session s
     WHERE s.id = _session AND s.project_id = _project
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
    -- A session whose end was recorded stays over, also for a caller whose clock is
    -- behind: what was open in it has been removed.
    outcome := CASE
        WHEN _head.hold = 'deleted' OR _held.expires_at <= _now
          OR _held.expired_at IS NOT NULL THEN 'unknown'
        WHEN _suspends AND _agent_status = 'suspended' THEN 'suspended'
        WHEN _head.hold = ANY (_refused) THEN 'held'
        WHEN _head.number <> _expected OR _head.chain <> _chain THEN 'conflict'
        WHEN _version ->> 'external_id' IS NOT NULL
         AND EXISTS (SELECT FROM timeline_version v
                      WHERE v.session_id = _session
                        AND v.external_id = _version ->> 'external_id') THEN 'named'
        ELSE 'stored' END;
    IF outcome <> 'stored' THEN
        RETURN;
    END IF;

    -- Time never runs backwards in a session, whatever the host's clock does.
    created_at := greatest(_head.created_at, _now);
    number := _head.number;

    IF _version IS NOT NULL THEN
        _new := json_populate_record(NULL::timeline_version, _version);
        number := _head.number + 1;
        _new.session_id := _session;
        _new.number := number;
        _new.parent_number := _head.number;
        _new.body_number := coalesce(_new.body_number, number);
        _new.created_at := created_at;
        _new.chain := sha256(
            '\x01'::bytea || _head.chain || int8send(number) || _new.leaf);
        INSERT INTO timeline_version SELECT _new.* ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            outcome := 'conflict';
            RETURN;
        END IF;
        IF _body IS NOT NULL THEN
            _stored := json_populate_record(NULL::timeline_body, _body);
            _stored.session_id := _session;
            _stored.number := number;
            _stored.data := _data;
            INSERT INTO timeline_body SELECT _stored.*;
        END IF;
        INSERT INTO timeline_change (session_id, path_key, number, role, kind, value_key)
        SELECT _session, c.path_key, timeline_append_v4.number, c.role, c.kind, c.value_key
          FROM unnest(_path_keys, _roles, _kinds, _value_keys)
            AS c (path_key, role, kind, value_key);
        PERFORM timeline_note_text_v1(_project, _session, 1, number, _new.reasoning);
        IF _waits IS NOT NULL OR _new.flags <> '[]' OR _new.hold <> _head.hold
           OR _new.restored_number IS NOT NULL THEN
            PERFORM timeline_set_open_v1(
                _project, _held.agent_id, _head, _new, _waits);
        END IF;
    END IF;

    IF _turn IS NOT NULL THEN
        SELECT coalesce(max(t.turn_number), 0) + 1 INTO turn_number
          FROM timeline_turn t WHERE t.session_id = _session;
        _said := json_populate_record(NULL::timeline_turn, _turn);
        _said.session_id := _session;
        _said.turn_number := turn_number;
        _said.head_number := number;
        _said.data := _turn_data;
        _said.created_at := created_at;
        INSERT INTO timeline_turn SELECT _said.*;
        PERFORM timeline_note_text_v1(
            _project, _session, 2, turn_number, concat_ws(E'\n', _said.reasoning, _turn_text));
    END IF;

    -- By what the session is found: only what this write changes about it.
    PERFORM timeline_set_terms_v1(_session, _term_keys, _term_values);

    FOR _event IN SELECT * FROM json_populate_recordset(NULL::audit_event, _events)
    LOOP
        IF _event.resource_type = 'turn' THEN
            _event.details := _event.details
                || jsonb_build_object('turn_number', turn_number);
        END IF;
        INSERT INTO audit_event (
            stream_id, id, project_id, action, resource_type, resource_id, number,
            actor_kind, actor_id, actor_label, details, request_id, created_at)
        VALUES (
            _session, _event.id, _project, _event.action, _event.resource_type,
            _event.resource_id, number, _event.actor_kind, _event.actor_id,
            _event.actor_label, _event.details, _event.request_id,
            timeline_append_v4.created_at);
    END LOOP;

    UPDATE timeline_session s
       SET head_number = timeline_append_v4.number,
           updated_at = timeline_append_v4.created_at,
           status = CASE coalesce(_new.hold, _head.hold) WHEN 'open' THEN 'active'
                    ELSE coalesce(_new.hold, _head.hold) END,
           turn_count = coalesce(timeline_append_v4.turn_number, s.turn_count),
           -- What takes a rollback back is no rollback of its own (docs/metrics.md).
           rollback_count = s.rollback_count
                          + coalesce(_new.op = 'rollback' AND _new.undo_of IS NULL,
                                     false)::int,
           facets = coalesce(_facets, s.facets)
     WHERE s.id = _session;
    hold := coalesce(_new.hold, _head.hold);
    head_number := number;
END
$$;

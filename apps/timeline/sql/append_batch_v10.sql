-- Append several versions to a session: all of them, or none.
--
-- The first goes through timeline_append_v10: the same lock, the same checks in the same
-- order, the same outcomes. Everything after it is inserted without ON CONFLICT: a
-- unique violation (a number that a writer without the lock took, a name that another
-- version has) rolls back what was stored here, the first version included. Otherwise
-- such a writer would tear the batch's chain.
--
-- The arrays `_each_…` run parallel to the versions; `_items` says to which of them, from
-- 1, a change belongs. The request key is on the last version, together with the number
-- of the first, which is how a replay finds them all. Flags, changes and details are
-- JSON as text.
CREATE FUNCTION timeline_append_batch_v10(
    _session varchar, _project varchar, _expected bigint, _chain bytea,
    _now timestamptz, _api_key varchar, _refused text[], _suspends boolean,
    _kind varchar, _fence bigint, _key text,
    _digest bytea, _request_id text, _actor_kind text, _actor_id text,
    _actor_label text,
    _each_reasoning text[], _each_op text[], _each_hold text[],
    _each_restored_number bigint[], _each_undo_of bigint[], _each_reason_code text[],
    _each_external_id text[], _each_trace_id text[], _each_step_number bigint[],
    _each_step_parent_id text[], _each_objective_status text[],
    _each_schema_version text[], _each_release text[], _each_model text[],
    _each_size bigint[], _each_flags text[], _each_changes text[],
    _each_change_count bigint[], _each_changes_truncated boolean[],
    _each_version_key text[], _each_first_number bigint[], _each_salt bytea[],
    _each_reasoning_digest bytea[], _each_step_digest bytea[],
    _each_commitment bytea[], _each_leaf bytea[], _each_body_number bigint[],
    _each_base_number bigint[], _each_depth bigint[], _each_codec bigint[],
    _each_body_salt bytea[], _each_body_size bigint[], _each_data bytea[],
    _each_waits boolean[], _each_event_id text[], _each_action text[],
    _each_resource_type text[], _each_details text[],
    _items integer[], _path_keys bytea[], _roles smallint[], _kinds smallint[],
    _value_keys bytea[], _term_keys bytea[], _term_values bytea[], _facets jsonb,
    OUT outcome text, OUT number bigint, OUT turn_number bigint,
    OUT head_number bigint, OUT hold text, OUT created_at timestamptz,
    OUT first_number bigint
) LANGUAGE plpgsql AS $$
DECLARE
    _before timeline_version;
    _new timeline_version;
BEGIN
    SELECT a.outcome, a.number, a.turn_number, a.head_number, a.hold, a.created_at
      INTO outcome, number, turn_number, head_number, hold, created_at
      FROM timeline_append_v10(
               _session, _project, _expected, _chain, _now, _api_key, _refused,
               _suspends, _kind, _fence, _key, _digest, _request_id, _actor_kind, _actor_id,
               _actor_label, _each_reasoning[1], _each_op[1], _each_hold[1],
               _each_restored_number[1], _each_undo_of[1], _each_reason_code[1],
               _each_external_id[1], _each_trace_id[1], _each_step_number[1],
               _each_step_parent_id[1], _each_objective_status[1],
               _each_schema_version[1], _each_release[1], _each_model[1],
               _each_size[1], _each_flags[1]::jsonb, _each_changes[1]::jsonb,
               _each_change_count[1], _each_changes_truncated[1], _each_version_key[1],
               _each_first_number[1], _each_salt[1], _each_reasoning_digest[1],
               _each_step_digest[1], _each_commitment[1], _each_leaf[1],
               NULL, NULL, NULL, NULL,
               _each_body_number[1], _each_base_number[1], _each_depth[1],
               _each_codec[1], _each_body_salt[1], _each_body_size[1], _each_data[1],
               NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
               NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, _facets,
               _each_waits[1],
               _each_event_id[1], _each_action[1], _each_resource_type[1],
               _each_details[1]::jsonb, NULL, NULL) a;
    IF outcome NOT IN ('stored', 'replay') THEN
        RETURN;
    END IF;
    SELECT v.* INTO _before FROM timeline_version v
     WHERE v.session_id = _session AND v.number = timeline_append_batch_v10.number;
    IF outcome = 'replay' THEN
        first_number := _before.first_number;
        RETURN;
    END IF;

    first_number := number;
    FOR _at IN 2 .. cardinality(_each_op) LOOP
        number := number + 1;
        INSERT INTO timeline_version (
            session_id, number, op, restored_number, undo_of, reason_code,
            parent_number, body_number, external_id, actor_kind, actor_id, actor_label,
            reasoning, trace_id, step_number, step_parent_id, objective_status,
            schema_version, release, model, size, flags, hold, changes, change_count,
            changes_truncated, request_key, request_digest, first_number, salt,
            reasoning_digest, step_digest, commitment, leaf, chain, requested_at,
            created_at)
        VALUES (
            _session, timeline_append_batch_v10.number, _each_op[_at],
            _each_restored_number[_at], _each_undo_of[_at], _each_reason_code[_at],
            number - 1,
            CASE WHEN _each_data[_at] IS NULL THEN _each_body_number[_at]
                 ELSE number END,
            _each_external_id[_at], _actor_kind, _actor_id, _actor_label,
            _each_reasoning[_at], _each_trace_id[_at], _each_step_number[_at],
            _each_step_parent_id[_at], _each_objective_status[_at],
            _each_schema_version[_at], _each_release[_at], _each_model[_at],
            _each_size[_at], _each_flags[_at]::jsonb, _each_hold[_at],
            _each_changes[_at]::jsonb, _each_change_count[_at],
            _each_changes_truncated[_at], _each_version_key[_at], _digest,
            _each_first_number[_at], _each_salt[_at], _each_reasoning_digest[_at],
            _each_step_digest[_at], _each_commitment[_at], _each_leaf[_at],
            sha256('\x01'::bytea || _before.chain
                   || int8send(timeline_append_batch_v10.number)
                   || _each_leaf[_at]),
            _now, timeline_append_batch_v10.created_at)
        RETURNING * INTO _new;
        IF _each_data[_at] IS NOT NULL THEN
            INSERT INTO timeline_body (
                session_id, number, base_number, depth, codec, salt, data, size)
            VALUES (
                _session, timeline_append_batch_v10.number, _each_base_number[_at],
                _each_depth[_at], _each_codec[_at], _each_body_salt[_at], _each_data[_at],
                _each_body_size[_at]);
        END IF;
        IF _each_waits[_at] IS NOT NULL OR _new.flags <> '[]' THEN
            PERFORM timeline_set_open_v1(
                _project, s.agent_id, _before, _new, _each_waits[_at])
               FROM timeline_session s WHERE s.id = _session;
        END IF;
        INSERT INTO audit_event (
            stream_id, id, project_id, action, resource_type, resource_id, number,
            actor_kind, actor_id, actor_label, details, request_id, created_at)
        VALUES (
            _session, _each_event_id[_at], _project, _each_action[_at],
            _each_resource_type[_at], _session, timeline_append_batch_v10.number,
            _actor_kind, _actor_id, _actor_label, _each_details[_at]::jsonb,
            _request_id, timeline_append_batch_v10.created_at);
        _before := _new;
    END LOOP;

    INSERT INTO timeline_pending (
        session_id, number, turn_number, first_number, project_id, at, event_ids, items,
        path_keys, roles, kinds, value_keys, term_keys, term_values)
    VALUES (
        _session, timeline_append_batch_v10.number, 0,
        timeline_append_batch_v10.first_number, _project,
        timeline_append_batch_v10.created_at, _each_event_id, _items, _path_keys, _roles,
        _kinds, _value_keys, _term_keys, _term_values);

    -- The first version has brought the session's columns up to date, but for the head:
    -- all share its time and its hold, and the facets it was given are those of the last.
    IF number > first_number THEN
        UPDATE timeline_session s SET head_number = timeline_append_batch_v10.number
         WHERE s.id = _session;
    END IF;
    head_number := number;
END
$$;

-- Append several versions to a session: all of them, or none.
--
-- The first goes through timeline_append_v4: the same lock, the same checks in the same
-- order, the same outcomes. Everything after it is inserted without ON CONFLICT: a
-- unique violation (a number that a writer without the lock took, a name that another
-- version has) rolls back what was stored here, the first version included. Otherwise
-- such a writer would tear the batch's chain.
--
-- Arrays run parallel to the versions, except those of the changes: `_items` says to
-- which version, from 1, a change belongs. The key is on the last version, together
-- with the number of the first, which is how a replay finds them all.
CREATE FUNCTION timeline_append_batch_v4(
    _session varchar, _project varchar, _expected bigint, _chain bytea,
    _now timestamptz, _api_key varchar,
    _key text, _digest bytea, _refused text[], _suspends boolean,
    _versions json[], _bodies json[], _data bytea[], _items integer[],
    _path_keys bytea[], _roles smallint[], _kinds smallint[], _value_keys bytea[],
    _facets jsonb, _events json[],
    _term_keys bytea[], _term_values bytea[], _waits boolean[],
    OUT outcome text, OUT number bigint, OUT turn_number bigint,
    OUT head_number bigint, OUT hold text, OUT created_at timestamptz,
    OUT first_number bigint
) LANGUAGE plpgsql AS $$
DECLARE
    _before timeline_version;
    _new timeline_version;
    _stored timeline_body;
    _event audit_event;
BEGIN
    SELECT a.outcome, a.number, a.turn_number, a.head_number, a.hold, a.created_at
      INTO outcome, number, turn_number, head_number, hold, created_at
      FROM timeline_append_v4(
               _session, _project, _expected, _chain, _now, _api_key,
               _key, _digest, _refused, _suspends,
               _versions[1], _bodies[1], _data[1], NULL, NULL,
               '{}', '{}', '{}', '{}', _facets, json_build_array(_events[1]),
               _term_keys, _term_values, NULL, _waits[1]) a;
    IF outcome NOT IN ('stored', 'replay') THEN
        RETURN;
    END IF;
    SELECT v.* INTO _before FROM timeline_version v
     WHERE v.session_id = _session AND v.number = timeline_append_batch_v4.number;
    IF outcome = 'replay' THEN
        first_number := _before.first_number;
        RETURN;
    END IF;

    first_number := number;
    FOR _at IN 2 .. cardinality(_versions) LOOP
        number := number + 1;
        _new := json_populate_record(NULL::timeline_version, _versions[_at]);
        _new.session_id := _session;
        _new.number := number;
        _new.parent_number := number - 1;
        _new.body_number := coalesce(_new.body_number, number);
        _new.created_at := created_at;
        _new.chain := sha256(
            '\x01'::bytea || _before.chain || int8send(number) || _new.leaf);
        INSERT INTO timeline_version SELECT _new.*;
        PERFORM timeline_note_text_v1(_project, _session, 1, number, _new.reasoning);
        IF _waits[_at] IS NOT NULL OR _new.flags <> '[]' THEN
            PERFORM timeline_set_open_v1(
                _project, s.agent_id, _before, _new, _waits[_at])
               FROM timeline_session s WHERE s.id = _session;
        END IF;
        _before := _new;
        IF _bodies[_at] IS NOT NULL THEN
            _stored := json_populate_record(NULL::timeline_body, _bodies[_at]);
            _stored.session_id := _session;
            _stored.number := number;
            _stored.data := _data[_at];
            INSERT INTO timeline_body SELECT _stored.*;
        END IF;
        _event := json_populate_record(NULL::audit_event, _events[_at]);
        INSERT INTO audit_event (
            stream_id, id, project_id, action, resource_type, resource_id, number,
            actor_kind, actor_id, actor_label, details, request_id, created_at)
        VALUES (
            _session, _event.id, _project, _event.action, _event.resource_type,
            _event.resource_id, number, _event.actor_kind, _event.actor_id,
            _event.actor_label, _event.details, _event.request_id,
            timeline_append_batch_v4.created_at);
    END LOOP;

    INSERT INTO timeline_change (session_id, path_key, number, role, kind, value_key)
    SELECT _session, c.path_key, _expected + c.item, c.role, c.kind, c.value_key
      FROM unnest(_items, _path_keys, _roles, _kinds, _value_keys)
        AS c (item, path_key, role, kind, value_key);

    -- The first version has brought the projection up to date, but for the head: all
    -- share its time and its hold, and the facets and terms it was given are those of
    -- the last.
    IF number > first_number THEN
        UPDATE timeline_session s SET head_number = timeline_append_batch_v4.number
         WHERE s.id = _session;
    END IF;
    head_number := number;
END
$$;

-- Create a session with its version 0, new or forked. The id is fixed by the caller
-- beforehand, so a retry meets its own session: `exists` instead of `stored`.
CREATE FUNCTION timeline_create_session_v3(
    _id varchar, _session json, _previous_chain bytea, _version json,
    _body json, _data bytea,
    _path_keys bytea[], _roles smallint[], _kinds smallint[], _value_keys bytea[], _events json,
    _term_keys bytea[], _term_values bytea[], _waits boolean,
    OUT outcome text
) LANGUAGE plpgsql AS $$
DECLARE
    _made timeline_session;
    _new timeline_version;
    _stored timeline_body;
    _event audit_event;
BEGIN
    _made := json_populate_record(NULL::timeline_session, _session);
    _made.id := _id;
    INSERT INTO timeline_session SELECT _made.* ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        outcome := 'exists';
        RETURN;
    END IF;

    _new := json_populate_record(NULL::timeline_version, _version);
    _new.session_id := _id;
    _new.number := 0;
    _new.body_number := 0;
    _new.created_at := _made.created_at;
    _new.chain := sha256(
        '\x01'::bytea || _previous_chain || int8send(0) || _new.leaf);
    INSERT INTO timeline_version SELECT _new.*;

    _stored := json_populate_record(NULL::timeline_body, _body);
    _stored.session_id := _id;
    _stored.number := 0;
    _stored.data := _data;
    INSERT INTO timeline_body SELECT _stored.*;

    INSERT INTO timeline_change (session_id, path_key, number, role, kind, value_key)
    SELECT _id, c.path_key, 0, c.role, c.kind, c.value_key
      FROM unnest(_path_keys, _roles, _kinds, _value_keys)
            AS c (path_key, role, kind, value_key);
    PERFORM timeline_note_text_v1(_made.project_id, _id, 1, 0, _new.reasoning);
    PERFORM timeline_set_terms_v1(_id, _term_keys, _term_values);
    IF _waits THEN
        INSERT INTO timeline_open (session_id, kind, number, project_id, agent_id, at)
        VALUES (_id, 'waiting', 0, _made.project_id, _made.agent_id, _made.created_at);
    END IF;

    FOR _event IN SELECT * FROM json_populate_recordset(NULL::audit_event, _events)
    LOOP
        INSERT INTO audit_event (
            stream_id, id, project_id, action, resource_type, resource_id, number,
            actor_kind, actor_id, actor_label, details, request_id, created_at)
        VALUES (
            _id, _event.id, _made.project_id, _event.action, _event.resource_type,
            _event.resource_id, 0, _event.actor_kind, _event.actor_id,
            _event.actor_label, _event.details, _event.request_id, _made.created_at);
    END LOOP;
    outcome := 'stored';
END
$$;

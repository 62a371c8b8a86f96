-- Delete all that a session owns beside its versions, turns and bodies: what is derived,
-- what people attached, its effects, what waits to be projected, its name and the key of
-- the request that made it; of a keyed document its entries and what follows from them,
-- of a shared one its lease.
-- The caller holds the session's row.
CREATE FUNCTION timeline_remove_v2(_session varchar) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    _table text;
    _count bigint;
    _rows bigint := 0;
BEGIN
    PERFORM set_config('stepback.retention', 'on', true);
    DELETE FROM timeline_requestkey r USING timeline_version v, timeline_session s
     WHERE v.session_id = _session AND v.number = 0 AND s.id = _session
       AND r.project_id = s.project_id AND r.key = v.request_key
       AND r.session_id = _session;
    DELETE FROM timeline_sessionname n USING timeline_session s
     WHERE s.id = _session AND n.project_id = s.project_id
       AND n.external_id = s.external_id AND n.session_id = _session;
    FOREACH _table IN ARRAY ARRAY[
        'pending', 'change', 'term', 'text', 'opening', 'unsearched', 'open', 'label',
        'note', 'review', 'score', 'summary', 'pendingwrite', 'hiddenversions',
        'effectdue', 'compensationstep', 'compensation', 'effectstep', 'effect',
        'forgetting', 'agentresult', 'entry', 'keyhead', 'tally', 'lease']
    LOOP
        EXECUTE format('DELETE FROM timeline_%I WHERE session_id = $1', _table)
          USING _session;
        GET DIAGNOSTICS _count = ROW_COUNT;
        _rows := _rows + _count;
    END LOOP;
    PERFORM set_config('stepback.retention', 'off', true);
    RETURN _rows;
END
$$;

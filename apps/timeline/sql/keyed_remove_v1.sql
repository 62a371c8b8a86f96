-- Remove the keys from `_first` to before `_before` from a keyed document, in one
-- version. Whoever removes one key names the key that comes right behind it. The config,
-- which stands under the empty key, stays.
--
-- Outcomes beside those of timeline_keyed_lock_v1: absent (there is none), stored.
CREATE FUNCTION timeline_keyed_remove_v1(
    _session varchar, _act timeline_keyed_act_v1, _item timeline_keyed_item_v1,
    _first text, _before text,
    OUT outcome text, OUT number bigint, OUT first_number bigint,
    OUT created_at timestamptz, OUT hold text, OUT removed bigint
) LANGUAGE plpgsql AS $$
DECLARE
    _lock record;
    _size bigint;
    _rows bigint;
BEGIN
    SELECT l.* INTO _lock FROM timeline_keyed_lock_v1(_session, _act) l;
    outcome := _lock.outcome;
    number := _lock.number;
    first_number := _lock.first_number;
    hold := (_lock.head).hold;
    IF outcome <> 'free' THEN
        RETURN;
    END IF;
    created_at := greatest((_lock.head).created_at, _act.now);
    IF NOT EXISTS (
        SELECT FROM timeline_keyhead h
         WHERE h.session_id = _session AND h.key >= _first AND h.key <> ''
           AND h.key < _before
           AND (h.expires_at IS NULL
                OR h.expires_at > timeline_keyed_remove_v1.created_at))
    THEN
        outcome := 'absent';
        RETURN;
    END IF;

    number := (_lock.head).number + 1;
    first_number := number;
    WITH gone AS (
        DELETE FROM timeline_keyhead h
         WHERE h.session_id = _session AND h.key >= _first AND h.key <> ''
           AND h.key < _before
        RETURNING h.*),
    kept AS (
        INSERT INTO timeline_entry (
            session_id, key, number, ordinal, body_number, size, expires_at, cause)
        SELECT g.session_id, g.key, timeline_keyed_remove_v1.number, g.ordinal + 1,
               NULL, 0, NULL, 'removed'
          FROM gone g)
    SELECT count(*) FILTER (WHERE g.expires_at IS NULL
                   OR g.expires_at > timeline_keyed_remove_v1.created_at),
           count(*), sum(g.size)
      INTO removed, _rows, _size FROM gone g;
    UPDATE timeline_tally t SET keys = t.keys - _rows, bytes = t.bytes - _size
     WHERE t.session_id = _session;
    PERFORM timeline_keyed_store_v1(
        _session, _act, _lock.head, ARRAY[_item], created_at);
    outcome := 'stored';
END
$$;

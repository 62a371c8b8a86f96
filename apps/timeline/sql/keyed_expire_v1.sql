-- Record that all keys whose time was over at `_moment` are gone, in one version.
--
-- Outcomes beside those of timeline_keyed_lock_v1, which it does not ask about its
-- agent or a hold: absent (there is none), stored.
CREATE FUNCTION timeline_keyed_expire_v1(
    _session varchar, _act timeline_keyed_act_v1, _item timeline_keyed_item_v1,
    _moment timestamptz,
    OUT outcome text, OUT number bigint, OUT first_number bigint,
    OUT created_at timestamptz, OUT hold text, OUT removed bigint
) LANGUAGE plpgsql AS $$
DECLARE
    _lock record;
BEGIN
    SELECT l.* INTO _lock FROM timeline_keyed_lock_v1(_session, _act) l;
    outcome := _lock.outcome;
    number := _lock.number;
    first_number := _lock.first_number;
    hold := (_lock.head).hold;
    IF outcome NOT IN ('free', 'suspended', 'held') THEN
        RETURN;
    END IF;
    created_at := greatest((_lock.head).created_at, _act.now);
    number := (_lock.head).number + 1;
    first_number := number;
    INSERT INTO timeline_entry (
        session_id, key, number, ordinal, body_number, size, expires_at, cause)
    SELECT _session, h.key, timeline_keyed_expire_v1.number, h.ordinal + 1, NULL,
           0, NULL, 'expired'
      FROM timeline_keyhead h
     WHERE h.session_id = _session AND h.expires_at <= _moment;
    GET DIAGNOSTICS removed = ROW_COUNT;
    IF removed = 0 THEN
        outcome := 'absent';
        RETURN;
    END IF;
    PERFORM timeline_keyed_show_v1(
        _session, timeline_keyed_expire_v1.number, created_at);
    PERFORM timeline_keyed_store_v1(
        _session, _act, _lock.head, ARRAY[_item], created_at);
    outcome := 'stored';
END
$$;

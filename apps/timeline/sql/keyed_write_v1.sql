-- Write entries of a keyed document, each as a version of its own: all, or none.
--
-- Writers of different keys never conflict, and of those of one key the last one wins,
-- unless `_expected` names the ordinal that the key must have (0: absent). `_config` is
-- the version of the config that the entries were checked against, NULL where none is
-- asked for, and `_most` how many keys the document may have. The config is the entry
-- under the empty key: it is not counted.
--
-- Outcomes beside those of timeline_keyed_lock_v1: config (another one stands now),
-- changed and full (of the items `refused`, from 1), stored.
CREATE FUNCTION timeline_keyed_write_v1(
    _session varchar, _act timeline_keyed_act_v1, _items timeline_keyed_item_v1[],
    _keys text[], _expires_at timestamptz[], _expected bigint[], _config bigint,
    _most bigint,
    OUT outcome text, OUT number bigint, OUT first_number bigint,
    OUT created_at timestamptz, OUT hold text, OUT ordinals bigint[],
    OUT refused bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
    _lock record;
    _tally timeline_tally;
    _old timeline_keyhead;
    _live bigint;
    _ordinal bigint;
    _is_live boolean;
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

    IF _config IS NOT NULL AND _config <> coalesce(
        (SELECT h.number FROM timeline_keyhead h
          WHERE h.session_id = _session AND h.key = ''), 0)
    THEN
        outcome := 'config';
        RETURN;
    END IF;
    IF array_remove(_expected, NULL) <> '{}' THEN
        SELECT array_agg(u.at ORDER BY u.at) INTO refused
          FROM unnest(_keys, _expected) WITH ORDINALITY u (key, expected, at)
          LEFT JOIN timeline_keyhead h
            ON h.session_id = _session AND h.key = u.key
           AND (h.expires_at IS NULL
                OR h.expires_at > timeline_keyed_write_v1.created_at)
         WHERE u.expected <> coalesce(h.ordinal, 0);
        IF refused IS NOT NULL THEN
            outcome := 'changed';
            RETURN;
        END IF;
    END IF;
    SELECT t.* INTO _tally FROM timeline_tally t WHERE t.session_id = _session;
    IF _tally.keys + cardinality(_keys) > _most THEN
        -- What has expired and is not swept yet is counted in the tally alone.
        SELECT _tally.keys - count(*) INTO _live FROM timeline_keyhead h
         WHERE h.session_id = _session
           AND h.expires_at <= timeline_keyed_write_v1.created_at;
        SELECT array_agg(n.at ORDER BY n.at) INTO refused
          FROM (SELECT u.at, dense_rank() OVER (ORDER BY u.first_at) AS place
                  FROM (SELECT k.at, k.key,
                               min(k.at) OVER (PARTITION BY k.key) AS first_at
                          FROM unnest(_keys) WITH ORDINALITY k (key, at)
                         WHERE k.key <> '') u
                 WHERE NOT EXISTS (
                       SELECT FROM timeline_keyhead h
                        WHERE h.session_id = _session AND h.key = u.key
                          AND (h.expires_at IS NULL
                               OR h.expires_at > timeline_keyed_write_v1.created_at))) n
         WHERE n.place > _most - _live;
        IF refused IS NOT NULL THEN
            outcome := 'full';
            RETURN;
        END IF;
    END IF;

    number := (_lock.head).number;
    first_number := number + 1;
    ordinals := '{}';
    FOR _at IN 1 .. cardinality(_keys) LOOP
        number := number + 1;
        SELECT h.* INTO _old FROM timeline_keyhead h
         WHERE h.session_id = _session AND h.key = _keys[_at];
        _is_live := FOUND AND (_old.expires_at IS NULL OR _old.expires_at > created_at);
        IF FOUND THEN
            _ordinal := _old.ordinal + 1;
        ELSE
            SELECT e.ordinal + 1 INTO _ordinal FROM timeline_entry e
             WHERE e.session_id = _session AND e.key = _keys[_at]
             ORDER BY e.number DESC LIMIT 1;
            _ordinal := coalesce(_ordinal, 1);
        END IF;
        ordinals := ordinals || _ordinal;
        INSERT INTO timeline_entry (
            session_id, key, number, ordinal, body_number, size, expires_at, cause)
        VALUES (
            _session, _keys[_at], timeline_keyed_write_v1.number, _ordinal,
            timeline_keyed_write_v1.number, _items[_at].size, _expires_at[_at], 'set');
        INSERT INTO timeline_keyhead AS h (
            session_id, key, number, ordinal, body_number, size, created_at, updated_at,
            expires_at)
        VALUES (
            _session, _keys[_at], timeline_keyed_write_v1.number, _ordinal,
            timeline_keyed_write_v1.number, _items[_at].size,
            timeline_keyed_write_v1.created_at, timeline_keyed_write_v1.created_at,
            _expires_at[_at])
            ON CONFLICT (session_id, key) DO UPDATE
           SET number = excluded.number, ordinal = excluded.ordinal,
               body_number = excluded.body_number, size = excluded.size,
               created_at = CASE WHEN _is_live THEN h.created_at
                                 ELSE excluded.created_at END,
               updated_at = excluded.updated_at, expires_at = excluded.expires_at;
        IF _keys[_at] = '' THEN
            _tally.config_ordinal := _ordinal;
        ELSE
            _tally.keys := _tally.keys + (_old.key IS NULL)::int;
            _tally.bytes := _tally.bytes + _items[_at].size - coalesce(_old.size, 0);
        END IF;
    END LOOP;
    UPDATE timeline_tally t
       SET keys = _tally.keys, bytes = _tally.bytes,
           config_ordinal = _tally.config_ordinal
     WHERE t.session_id = _session;
    PERFORM timeline_keyed_store_v1(_session, _act, _lock.head, _items, created_at);
    outcome := 'stored';
END
$$;

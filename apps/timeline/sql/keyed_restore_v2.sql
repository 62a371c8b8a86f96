-- Restore a keyed document, its config or its data or both, to what it was at version
-- `_target`, in one version: of the keys touched since, each that shows another body
-- than then. What has expired since then stays absent.
--
-- Outcomes beside those of timeline_keyed_lock_v1: moved (the head is not `_expected`,
-- where one is named), ahead (there is no version `_target`), too_large (more than
-- `_most` keys were touched), stored. `changed` keys were set again, `removed` ones
-- taken away, `lapsed` ones had expired.
--
-- Where `_before` is not NULL it is one step of a restore that goes by steps: of the
-- keys from `_first` to before `_before` that nobody has touched after version `_seen`.
-- Whoever takes steps bounds them; `_most` is not asked then.
CREATE FUNCTION timeline_keyed_restore_v2(
    _session varchar, _act timeline_keyed_act_v1, _item timeline_keyed_item_v1,
    _target bigint,
    _of_config boolean, _of_data boolean, _first text, _before text, _seen bigint,
    _expected bigint, _most bigint,
    OUT outcome text, OUT number bigint, OUT first_number bigint,
    OUT created_at timestamptz, OUT hold text, OUT touched bigint, OUT changed bigint,
    OUT removed bigint, OUT lapsed bigint, OUT config_changed boolean
) LANGUAGE plpgsql AS $$
DECLARE
    _lock record;
BEGIN
    SELECT l.* INTO _lock FROM timeline_keyed_lock_v1(_session, _act) l;
    outcome := _lock.outcome;
    number := coalesce(_lock.number, (_lock.head).number);
    first_number := _lock.first_number;
    hold := (_lock.head).hold;
    IF outcome <> 'free' THEN
        RETURN;
    END IF;
    outcome := CASE
        WHEN (_lock.head).number <> _expected THEN 'moved'
        WHEN (_lock.head).number < _target THEN 'ahead'
        ELSE outcome END;
    IF outcome <> 'free' THEN
        RETURN;
    END IF;
    SELECT count(*) INTO touched
      FROM (SELECT DISTINCT e.key FROM timeline_entry e
             WHERE e.session_id = _session AND e.number > _target AND _before IS NULL
               AND CASE WHEN e.key = '' THEN _of_config ELSE _of_data END
             LIMIT _most + 1) t;
    IF touched > _most THEN
        outcome := 'too_large';
        RETURN;
    END IF;

    created_at := greatest((_lock.head).created_at, _act.now);
    number := (_lock.head).number + 1;
    first_number := number;
    INSERT INTO timeline_entry (
        session_id, key, number, ordinal, body_number, size, expires_at, cause)
    SELECT _session, r.key, timeline_keyed_restore_v2.number, r.ordinal + 1,
           r.body_number, r.size, r.expires_at,
           CASE WHEN r.body_number IS NULL THEN 'removed' ELSE 'restored' END
      FROM timeline_keyed_restored_v2(
               _session, _target, (_lock.head).number,
               timeline_keyed_restore_v2.created_at, _of_config, _of_data,
               _first, _before, _seen) r
     WHERE r.differs;
    -- Read from what was inserted, so that both can only say the same.
    SELECT count(*) FILTER (WHERE e.key <> '' AND e.body_number IS NOT NULL),
           count(*) FILTER (WHERE e.key <> '' AND e.body_number IS NULL),
           coalesce(bool_or(e.key = ''), false)
      INTO changed, removed, config_changed
      FROM timeline_entry e
     WHERE e.session_id = _session
       AND e.number = timeline_keyed_restore_v2.number;
    SELECT count(*) INTO lapsed
      FROM timeline_keyed_restored_v2(
               _session, _target, (_lock.head).number,
               timeline_keyed_restore_v2.created_at, false, _of_data,
               _first, _before, _seen) r
     WHERE r.lapsed;
    PERFORM timeline_keyed_show_v1(
        _session, timeline_keyed_restore_v2.number, created_at);
    PERFORM timeline_keyed_store_v1(
        _session, _act, _lock.head, ARRAY[_item], created_at);
    outcome := 'stored';
END
$$;

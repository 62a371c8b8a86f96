-- Lock a keyed document and decide whether this act may write to it.
--
-- Outcomes, in the order of the checks: missing (no such document here), revoked,
-- expired or unknown (the API key), replay (this request key was stored with this
-- digest, or the head is this very act, sent again without a key within five minutes),
-- reused (the key with another digest), suspended (its agent, which refuses keys alone
-- and is so too where it is deleted), held, free. On a replay `number` and
-- `first_number` are what was stored then.
CREATE FUNCTION timeline_keyed_lock_v1(
    _session varchar, _act timeline_keyed_act_v1,
    OUT outcome text, OUT number bigint, OUT first_number bigint,
    OUT head timeline_version
) LANGUAGE plpgsql AS $$
DECLARE
    _past timeline_version;
    _agent_status text;
BEGIN
    PERFORM 1 FROM timeline_session s
      WHERE s.id = _session AND s.project_id = _act.project_id
        AND s.kind = 'keyed'
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        outcome := 'missing';
        RETURN;
    END IF;

    -- By statements of their own, as in timeline_append: whoever waited for the lock
    -- must see what was answered meanwhile.
    IF _act.api_key IS NOT NULL THEN
        SELECT CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked'
                    WHEN k.expires_at <= _act.now THEN 'expired' END INTO outcome
          FROM accounts_apikey k
         WHERE k.id = _act.api_key AND k.project_id = _act.project_id;
        IF NOT FOUND OR outcome IS NOT NULL THEN
            outcome := coalesce(outcome, 'unknown');
            RETURN;
        END IF;
    END IF;

    IF _act.key IS NOT NULL THEN
        SELECT v.* INTO _past FROM timeline_version v
         WHERE v.session_id = _session AND v.request_key = _act.key;
        IF FOUND THEN
            outcome := CASE WHEN _past.request_digest = _act.digest
                            THEN 'replay' ELSE 'reused' END;
            number := _past.number;
            first_number := coalesce(_past.first_number, _past.number);
            RETURN;
        END IF;
    END IF;

    SELECT v.* INTO head FROM timeline_version v
     WHERE v.session_id = _session ORDER BY v.number DESC LIMIT 1;
    IF _act.key IS NULL AND head.request_key IS NULL AND head.number > 0
       AND head.request_digest = _act.digest AND head.actor_id = _act.actor_id
       AND head.actor_kind = _act.actor_kind
       AND head.requested_at > _act.now - interval '5 minutes'
    THEN
        outcome := 'replay';
        number := head.number;
        first_number := coalesce(head.first_number, head.number);
        RETURN;
    END IF;

    SELECT a.status INTO _agent_status
      FROM agents_agent a WHERE a.id = _act.agent_id;
    outcome := CASE
        WHEN _agent_status = 'suspended' AND _act.actor_kind = 'key' THEN 'suspended'
        WHEN head.hold <> 'open' THEN 'held'
        ELSE 'free' END;
END
$$;

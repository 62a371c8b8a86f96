-- Lock a session for what is written about its effects; return its head and its agent.
--
-- Outcomes: unknown (no such session here, expired or deleted, or a keyed document),
-- revoked and expired (the API key), free. What is read after the lock is read by
-- statements of its own, as in timeline_append.
CREATE FUNCTION timeline_effect_lock_v1(
    _session varchar, _project varchar, _now timestamptz, _api_key varchar,
    OUT outcome text, OUT agent_id varchar, OUT agent_status text,
    OUT head_number bigint, OUT hold text, OUT created_at timestamptz
) LANGUAGE plpgsql AS $$
DECLARE
    _held record;
BEGIN
    SELECT s.expires_at, s.expired_at, s.agent_id INTO _held
      FROM timeline_session s
     WHERE s.id = _session AND s.project_id = _project AND s.kind = 'session'
       FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        outcome := 'unknown';
        RETURN;
    END IF;

    IF _api_key IS NOT NULL THEN
        SELECT CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked'
                    WHEN k.expires_at <= _now THEN 'expired' END INTO outcome
          FROM accounts_apikey k WHERE k.id = _api_key AND k.project_id = _project;
        IF NOT FOUND OR outcome IS NOT NULL THEN
            outcome := coalesce(outcome, 'unknown');
            RETURN;
        END IF;
    END IF;

    agent_id := _held.agent_id;
    SELECT a.status INTO agent_status FROM agents_agent a WHERE a.id = _held.agent_id;
    SELECT v.number, v.hold, v.created_at INTO head_number, hold, created_at
      FROM timeline_version v
     WHERE v.session_id = _session ORDER BY v.number DESC LIMIT 1;
    outcome := CASE
        WHEN hold = 'deleted' OR _held.expires_at <= _now
          OR _held.expired_at IS NOT NULL THEN 'unknown'
        ELSE 'free' END;
END
$$;

-- Write that a begun effect whose deadline is over is unknown; return whether it was.
--
-- What reads it has said so since that moment: this tells it, once. Where the session is
-- gone, or the effect is finished or begun anew, it leaves nothing to be looked at.
CREATE FUNCTION timeline_effect_lapse_v1(
    _session varchar, _effect varchar, _now timestamptz, _actor_kind text,
    _actor_id text, _actor_label text, _request_id text, _event_id text
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    _held record;
    _lock record;
    _last timeline_effectstep;
    _class text;
BEGIN
    SELECT s.project_id INTO _held FROM timeline_session s
     WHERE s.id = _session FOR NO KEY UPDATE;
    SELECT l.* INTO _lock
      FROM timeline_effect_lock_v1(_session, _held.project_id, _now, NULL) l;
    SELECT t.* INTO _last FROM timeline_effectstep t
     WHERE t.session_id = _session AND t.effect_id = _effect
     ORDER BY t.ordinal DESC LIMIT 1;
    IF _last.status = 'begun' AND _last.deadline > _now THEN
        RETURN false;
    END IF;
    IF _lock.outcome <> 'free' OR _last.status <> 'begun' THEN
        DELETE FROM timeline_effectdue d
         WHERE d.session_id = _session AND d.effect_id = _effect;
        RETURN false;
    END IF;
    SELECT coalesce(e.effect_class, 'irreversible') INTO _class
      FROM timeline_effect e WHERE e.session_id = _session AND e.id = _effect;
    PERFORM timeline_effect_step_v1(
        _session, _held.project_id, _effect, _last.ordinal + 1, 'unknown',
        _last.attempt, _lock.head_number, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        _now, _class, _actor_kind, _actor_id, _actor_label, _request_id, _event_id,
        'effect.unknown');
    RETURN true;
END
$$;

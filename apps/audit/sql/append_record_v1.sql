-- Append a record to the chain of a stream, and return its number there.
--
-- Call it last in a transaction: the chain stays locked until that ends, and whoever
-- takes further locks after it can deadlock with the next act. The lock is that of
-- records that are chained in Python: advisory, because the first record of a stream
-- has no row to lock. The statement after it takes a new snapshot (READ COMMITTED) and
-- sees the record of whoever held the lock before.
--
-- `_facts` is the digest of all other facts (`audit.chain.facts`), computed beforehand.
-- The version's number is not among them: it is known under the session's lock alone,
-- and NULL where the act made none.
CREATE FUNCTION audit_append_record_v1(
    _stream varchar, _project varchar, _event_id varchar,
    _action text, _resource_type text, _resource_id text,
    _salt bytea, _resource_digest bytea, _result text, _rule text, _number bigint,
    _actor_kind text, _actor_id text, _actor_label text, _details jsonb,
    _facts bytea, _now timestamptz
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    _last bigint;
    _chain bytea;
    _leaf bytea := sha256('\x02'::bytea || _facts || int8send(coalesce(_number, -1)));
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('audit_auditrecord:' || _stream, 0));

    SELECT r.number, r.chain INTO _last, _chain FROM audit_auditrecord r
     WHERE r.stream_id = _stream ORDER BY r.number DESC LIMIT 1;
    IF NOT FOUND THEN
        _last := 0;
        _chain := decode(repeat('00', 32), 'hex');
    END IF;
    _last := _last + 1;

    INSERT INTO audit_auditrecord (
        stream_id, number, project_id, event_id, format, action, resource_type,
        resource_id, salt, resource_digest, result, rule, version, actor_kind, actor_id,
        actor_label, details, created_at, leaf, chain)
    VALUES (
        _stream, _last, _project, _event_id, 2, _action, _resource_type,
        _resource_id, _salt, _resource_digest, _result, _rule, _number, _actor_kind,
        _actor_id, _actor_label, _details, _now, _leaf,
        sha256(_chain || int8send(_last) || _leaf));
    RETURN _last;
END
$$;

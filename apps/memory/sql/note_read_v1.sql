-- Note which memories a session's context was given, without waiting for the disk: a
-- crash can lose the newest notes. What was noted at this version already is not noted
-- again, and of one version no more than `_most` are: a head that is asked about for
-- ever must not fill the disk.
CREATE FUNCTION memory_note_read_v1(
    _session varchar, _id varchar, _project varchar, _version bigint, _digest bytea,
    _memories varchar[], _ordinals bigint[], _scores double precision[],
    _actor_kind text, _actor_id text, _actor_label text, _now timestamptz,
    _most integer
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM (SELECT FROM memory_contextread r
                               WHERE r.session_id = _session AND r.version = _version
                               LIMIT _most) noted) >= _most THEN
        RETURN false;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO memory_contextread (
        session_id, id, project_id, version, digest, memories, ordinals, scores,
        actor_kind, actor_id, actor_label, created_at
    ) VALUES (
        _session, _id, _project, _version, _digest, _memories, _ordinals, _scores,
        _actor_kind, _actor_id, _actor_label, _now
    ) ON CONFLICT DO NOTHING;
    RETURN FOUND;
END
$$

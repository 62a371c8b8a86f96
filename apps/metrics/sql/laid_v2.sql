-- What each version of a session is laid to: its release or model, or for a rollback
-- that of the first version that went wrong, the one after the version it restored. The
-- empty text where none was told (see `acts`).
CREATE FUNCTION metrics_laid_v2(_session varchar, _measure text)
RETURNS TABLE (number bigint, created_at timestamptz, is_failure boolean, value text)
LANGUAGE sql STABLE AS $$
SELECT v.number, v.created_at, v.restored_number IS NOT NULL AND v.undo_of IS NULL,
       left(CASE WHEN _measure IN ('release', 'release_rolled_back')
                 THEN coalesce(nullif(bad.release, ''), nullif(v.release, ''), untold.value)
                 ELSE coalesce(nullif(bad.model, ''), nullif(v.model, ''), untold.value)
                 END, 200)
  FROM timeline_version v
  LEFT JOIN timeline_version bad
    ON bad.session_id = v.session_id AND bad.number = v.restored_number + 1
   AND v.undo_of IS NULL
 CROSS JOIN LATERAL (
       SELECT CASE WHEN v.restored_number IS NOT NULL AND v.undo_of IS NULL
                     OR v.actor_kind = 'key'
                    AND v.op IN ('create', 'fork', 'update', 'replace', 'turn')
              THEN '' END AS value) AS untold
 WHERE v.session_id = _session
$$;

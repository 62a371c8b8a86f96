-- Keep the newest flagged versions of a session, and no more.
CREATE FUNCTION timeline_trim_flagged_v1(_session varchar) RETURNS void
LANGUAGE sql AS $$
DELETE FROM timeline_open o
 WHERE o.session_id = _session AND o.kind = 'flagged'
   AND o.number < (SELECT t.number FROM timeline_open t
                    WHERE t.session_id = _session AND t.kind = 'flagged'
                    ORDER BY t.number DESC
                   OFFSET timeline_most_flagged_v1() - 1 LIMIT 1)
$$;

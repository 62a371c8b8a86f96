-- Say whether a write to a shared document has to be refused: its fence is not the
-- newest that was handed out or, without a fence, somebody holds the lease right now.
-- Asked under the document's row lock. The clock is the database's, read here and not
-- at the beginning of the transaction, which may have waited for the lock.
CREATE FUNCTION timeline_fenced_v1(_session varchar, _fence bigint)
RETURNS boolean LANGUAGE sql AS $$
    SELECT CASE WHEN _fence IS NULL
                THEN EXISTS (SELECT FROM timeline_lease l
                              WHERE l.session_id = _session
                                AND l.until > clock_timestamp())
                ELSE NOT EXISTS (SELECT FROM timeline_lease l
                                  WHERE l.session_id = _session AND l.fence = _fence)
           END
$$;

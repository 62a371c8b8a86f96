-- The transaction below which nothing can appear any more: whoever asks, and then reads
-- events in a later statement (READ COMMITTED), sees every event with a lower xid that
-- there will ever be. Followers of the events read up to it.
--
-- It is what pg_snapshot_xmin tells, but for transactions that cannot write an event:
-- those of other databases of this server, one of which may well run for hours, and
-- autovacuum's. Only who is seen to be one of those is passed over; whoever is not
-- found, and has not ended, counts as one of ours (it may be prepared). The order
-- matters: who was running when the others are listed and runs when it is looked for
-- was listed.
CREATE FUNCTION audit_settled_v1() RETURNS xid8
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    taken pg_snapshot := pg_current_snapshot();
    others xid[] := ARRAY(
        SELECT backend_xid FROM pg_stat_activity
         WHERE backend_xid IS NOT NULL
           AND (datname <> current_database() OR backend_type = 'autovacuum worker'));
BEGIN
    RETURN coalesce(
        (SELECT running.xid
           FROM (SELECT pg_snapshot_xip(taken)
                 UNION ALL
                 SELECT pg_current_xact_id_if_assigned()) AS running (xid)
          WHERE running.xid::xid <> ALL (others)
            AND pg_xact_status(running.xid) = 'in progress'
          ORDER BY running.xid LIMIT 1),
        pg_snapshot_xmax(taken));
END;
$$;

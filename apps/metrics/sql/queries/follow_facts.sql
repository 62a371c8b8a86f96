WITH came AS MATERIALIZED (
    SELECT DISTINCT e.project_id, e.stream_id,
           date_trunc('hour', e.created_at, 'UTC') AS hour
      FROM audit_event e
     WHERE e.xid >= %(since)s::text::xid8 AND e.xid < %(until)s::text::xid8
       AND e.stream_id LIKE 'sess\_%%'),
late AS (
    SELECT stream_id, min(hour) AS hour FROM came
     WHERE hour < date_trunc('hour', %(now)s::timestamptz, 'UTC') GROUP BY stream_id),
touched AS (
    SELECT project_id, hour FROM came
    UNION
    SELECT e.project_id, date_trunc('hour', e.created_at, 'UTC')
      FROM late JOIN audit_event e
        ON e.stream_id = late.stream_id AND e.created_at >= late.hour),
noted AS (
    INSERT INTO metrics_due (project_id, hour) SELECT project_id, hour FROM touched
    ON CONFLICT DO NOTHING RETURNING 1),
moved AS (
    UPDATE metrics_follower SET xid = %(reached)s::text::xid8 WHERE id = 1 RETURNING 1)
SELECT (SELECT count(*) FROM noted) AS noted, (SELECT count(*) FROM moved) AS moved

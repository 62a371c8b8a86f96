WITH came AS MATERIALIZED (
    SELECT DISTINCT e.project_id, e.stream_id, date_trunc('hour', e.at, 'UTC') AS hour
      FROM unnest(%(streams)s::text[], %(projects)s::text[],
                  %(moments)s::timestamptz[]) e (stream_id, project_id, at)),
late AS (
    SELECT stream_id, min(hour) AS hour FROM came
     WHERE hour < date_trunc('hour', %(now)s::timestamptz, 'UTC') GROUP BY stream_id),
touched AS (
    SELECT project_id, hour FROM came
    UNION
    SELECT e.project_id, date_trunc('hour', e.created_at, 'UTC')
      FROM late JOIN audit_event e
        ON e.stream_id = late.stream_id AND e.created_at >= late.hour)
INSERT INTO metrics_due (project_id, hour) SELECT project_id, hour FROM touched
 ORDER BY project_id, hour
    ON CONFLICT DO NOTHING RETURNING 1

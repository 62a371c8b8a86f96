SELECT coalesce((SELECT number FROM metrics_revision
                  WHERE project_id = %(project)s), 0) AS revision,
       ARRAY(
    SELECT hour FROM metrics_due
     WHERE project_id = %(project)s AND hour >= %(since)s AND hour < %(until)s
    UNION
    SELECT generate_series(greatest(%(since)s, date_trunc('hour', w.at, 'UTC')),
                           %(until)s::timestamptz - interval '1 microsecond',
                           interval '1 hour')
      FROM (SELECT least(
                (SELECT min(p.at) FROM timeline_pending p
                  WHERE p.project_id = %(project)s),
                (SELECT min(o.at) FROM audit_outbox o)) AS at) w
     WHERE w.at IS NOT NULL) AS hours

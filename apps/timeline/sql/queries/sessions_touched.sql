WITH acts AS MATERIALIZED (
     SELECT e.stream_id, e.id, e.action FROM audit_event e
      WHERE e.project_id = %(project)s
        AND {{before}}
      ORDER BY e.id DESC LIMIT %(limit)s),
changed AS MATERIALIZED (
     SELECT DISTINCT acts.stream_id FROM acts
      WHERE acts.action <> ALL (%(beside)s::varchar[]))
SELECT coalesce((SELECT array_agg(changed.stream_id) FROM changed
                  WHERE NOT EXISTS (
                        SELECT FROM audit_event later
                         WHERE later.stream_id = changed.stream_id
                           AND later.id >= %(before)s::varchar
                           AND later.action <> ALL (%(beside)s::varchar[]))),
                '{}') AS sessions,
       (SELECT min(acts.id) FROM acts HAVING count(*) = %(limit)s) AS floor

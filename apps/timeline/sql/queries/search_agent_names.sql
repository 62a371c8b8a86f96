WITH named AS (
    (SELECT a.id, a.external_id FROM agents_agent a
      WHERE a.project_id = %(project)s AND a.external_id >= %(first)s::text
        AND a.external_id < %(end)s::text
        AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
      ORDER BY a.external_id LIMIT %(most)s)
     UNION
    (SELECT a.id, a.external_id FROM agents_agent a
      WHERE a.project_id = %(project)s AND a.name ~>=~ %(first)s::text
        AND a.name ~<~ %(end)s::text
        AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
      ORDER BY a.name USING ~<~ LIMIT %(most)s))
SELECT id, external_id FROM named

-- A session, and the version that it was forked from as far as that is there.
SELECT s.id, s.project_id, s.created_at, s.origin_session_id, s.origin_number,
       o.project_id AS origin_project_id,
       s.origin_chain, v.chain AS origin_chain_there, s.erasures, s.thinned_below,
       EXISTS (SELECT FROM timeline_tombstone d
                WHERE d.session_id = s.id) AS has_tombstones,
       v.body_number AS origin_body_number,
       EXISTS (SELECT FROM timeline_tombstone d
                WHERE d.session_id = s.origin_session_id AND d.kind <> 'emptied'
                  AND d.first_number <= s.origin_number
                  AND d.last_number >= s.origin_number) AS is_origin_removed,
       a.waiting AS waiting_rules, a.remap_after
  FROM timeline_session s
  LEFT JOIN agents_agent a ON a.id = s.agent_id
  LEFT JOIN timeline_session o ON o.id = s.origin_session_id
  LEFT JOIN timeline_version v
    ON v.session_id = s.origin_session_id AND v.number = s.origin_number
 WHERE s.id = %(session)s

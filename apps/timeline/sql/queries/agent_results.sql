-- Where the results are that an agent's sessions offer each other, newest first; those
-- that the agent has forgotten are left out.
SELECT r.session_id, r.effect_id FROM timeline_agentresult r
 WHERE r.project_id = %(project)s AND r.agent_id = %(agent)s
   AND {{bound}}
   AND (%(tool)s::text IS NULL OR r.tool = %(tool)s)
   AND NOT EXISTS (
       SELECT FROM timeline_agentforgetting f
        WHERE f.project_id = %(project)s AND f.agent_id = %(agent)s
          AND f.created_at >= r.begun_at
          AND (f.tool IS NULL OR f.tool = r.tool)
          AND (f.call_digest IS NULL OR f.call_digest = r.call_digest))
 ORDER BY r.effect_id DESC LIMIT %(limit)s

-- Approvals of a session that have no outcome or are listed so, with what the list says.
-- One statement, so that a vote in between cannot make the two sides differ.
SELECT a.id, a.number, e.outcome, h.approval_id IS NOT NULL AS is_handed_over,
       u.approval_id IS NOT NULL AS is_listed, u.due_at,
       u.project_id = a.project_id AND u.agent_id = a.agent_id
         AND u.number = a.number AS is_of_it
  FROM approvals_approval a
  LEFT JOIN approvals_undecided u
    ON u.session_id = %(session)s AND u.approval_id = a.id
  LEFT JOIN approvals_vote e
    ON e.session_id = %(session)s AND e.approval_id = a.id AND e.outcome IS NOT NULL
  LEFT JOIN approvals_vote h
    ON h.session_id = %(session)s AND h.approval_id = a.id AND h.verdict = 'escalate'
 WHERE a.session_id = %(session)s
   AND (e.approval_id IS NULL OR u.approval_id IS NOT NULL)
 ORDER BY a.number

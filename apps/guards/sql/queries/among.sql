SELECT s.id
  FROM timeline_session s
 WHERE s.id = ANY (%(sessions)s::text[]) AND (%(any)s::boolean OR s.status = 'active')
 ORDER BY s.id DESC LIMIT %(limit)s

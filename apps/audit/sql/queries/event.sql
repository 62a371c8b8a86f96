INSERT INTO audit_event (
    stream_id, id, project_id, number, action, resource_type, resource_id,
    actor_kind, actor_id, actor_label, details, request_id, created_at
) VALUES (
    %(stream_id)s, %(id)s, %(project_id)s, %(number)s, %(action)s, %(resource_type)s,
    %(resource_id)s, %(actor_kind)s, %(actor_id)s, %(actor_label)s, %(details)s,
    %(request_id)s, %(created_at)s
) RETURNING 1

INSERT INTO audit_outbox (stream_id, event_id, at)
VALUES (%(stream_id)s, %(id)s, %(created_at)s) RETURNING 1

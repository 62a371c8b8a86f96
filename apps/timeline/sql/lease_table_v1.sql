-- A lease is of one document, and goes with it.
ALTER TABLE timeline_lease
    ADD CONSTRAINT timeline_lease_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
-- A session is an agent's; a document that agents share is no one's.
ALTER TABLE timeline_session DROP CONSTRAINT timeline_session_has_an_agent;
ALTER TABLE timeline_session
    ADD CONSTRAINT timeline_session_has_an_agent
    CHECK (kind IN ('keyed', 'shared') OR agent_id IS NOT NULL);

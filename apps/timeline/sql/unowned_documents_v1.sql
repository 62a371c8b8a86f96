-- A session is an agent's. A keyed document need not be: what is remembered of a user, or
-- in the whole project, is no one agent's.
ALTER TABLE timeline_session ALTER COLUMN agent_id DROP NOT NULL;
ALTER TABLE timeline_session
    ADD CONSTRAINT timeline_session_has_an_agent
    CHECK (kind = 'keyed' OR agent_id IS NOT NULL);

-- Versions and bodies are never changed or deleted. Retention alone may, by setting a
-- flag that lives no longer than its transaction. TRUNCATE stays possible for its
-- owner: a test database is emptied that way, and no web role needs the right.
CREATE FUNCTION timeline_refuse_change_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('stepback.retention', true), '') = 'on' THEN
        RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
    END IF;
    RAISE EXCEPTION '% of % is refused: history is append-only', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

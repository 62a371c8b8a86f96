-- Retention empties rows of history, moves, seals and archives bodies; it rewrites
-- nothing.
--
-- Beside the trigger that lets retention alone change a row, for who is let: a version
-- is emptied wholly, or shows its body elsewhere; a body is emptied, or becomes a key
-- frame of the same bytes; a turn is emptied. All the rest of a row stays as it was.
--
-- Where a project encrypts, what stood in clear is sealed in its place: the codec of its
-- bytes says so, and a text begins as only sealed ones do. Nothing is opened again.
--
-- A body that is archived leaves a locator, with the SHA-256 of what stood there; what
-- comes back from an archive has the SHA-256 that the locator says, or is sealed.
--
-- A body has moved where a body with the same salt and size stands: a salt is random,
-- and its own. An emptied version shows an emptied one.
CREATE FUNCTION timeline_keep_the_rest_v3() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
DECLARE
    _emptied text[];
    _hollow boolean;
    _moved boolean := false;
    _sealed text[];
    _seals boolean := false;
    _archives boolean := false;
BEGIN
    IF NEW IS NOT DISTINCT FROM OLD THEN
        RETURN NEW;
    END IF;
    CASE TG_TABLE_NAME
        WHEN 'timeline_version' THEN
            _emptied := '{reasoning, reason_code, step_number, step_parent_id,
                objective_status, schema_version, release, model, changes, salt}';
            _hollow := NEW.salt = '' AND NEW.changes = '[]'
                AND num_nonnulls(NEW.reasoning, NEW.reason_code, NEW.step_number,
                    NEW.step_parent_id, NEW.objective_status, NEW.schema_version,
                    NEW.release, NEW.model) = 0;
            _moved := to_jsonb(NEW) - 'body_number' = to_jsonb(OLD) - 'body_number'
                AND NEW.body_number <= NEW.number
                AND EXISTS (
                    SELECT FROM timeline_body n
                      LEFT JOIN timeline_body o
                        ON o.session_id = OLD.session_id AND o.number = OLD.body_number
                     WHERE n.session_id = NEW.session_id AND n.number = NEW.body_number
                       AND CASE WHEN OLD.salt = '' THEN n.codec = 0
                                ELSE n.salt = o.salt AND n.size = o.size
                                     AND n.codec <> 0 END);
            _sealed := '{reasoning, changes}';
            _seals := timeline_is_sealed_v1(OLD.reasoning, NEW.reasoning)
                AND (NEW.changes = OLD.changes
                     OR NOT OLD.changes @? '$[*].sealed' AND OLD.changes <> '[]'
                        AND jsonb_array_length(NEW.changes) = 1
                        AND NEW.changes @? '$[0].sealed');
        WHEN 'timeline_body' THEN
            _emptied := '{base_number, depth, codec, data, size, salt}';
            _hollow := NEW.codec = 0 AND NEW.size = 0 AND NEW.salt = ''
                AND NEW.data = '' AND NEW.base_number IS NULL AND NEW.depth = 0;
            _moved := NEW.session_id = OLD.session_id AND NEW.number = OLD.number
                AND NEW.salt = OLD.salt AND NEW.size = OLD.size
                AND NEW.base_number IS NULL AND NEW.depth = 0
                AND NEW.codec BETWEEN 1 AND 31 AND OLD.codec <> 0
                AND (NEW.codec & 16 <> 0 OR OLD.codec & 16 = 0);
            _sealed := '{codec, data}';
            -- In its place, or as it comes back from an archive.
            _seals := OLD.codec & 15 BETWEEN 1 AND 3 AND OLD.codec & 16 = 0
                AND NEW.codec = (OLD.codec & 15) + 16;
            _archives := CASE
                WHEN OLD.codec BETWEEN 1 AND 31 AND NEW.codec = OLD.codec + 32 THEN
                    octet_length(NEW.data) = 96
                    AND substr(NEW.data, 65, 32) = sha256(OLD.data)
                WHEN OLD.codec > 32 AND NEW.codec = OLD.codec - 32 THEN
                    sha256(NEW.data) = substr(OLD.data, 65, 32)
                ELSE false
            END;
        ELSE
            _emptied := '{reasoning, codec, data, size, salt}';
            _hollow := NEW.codec = 0 AND NEW.size = 0 AND NEW.data = ''
                AND NEW.reasoning IS NULL
                AND (NEW.salt = '') IS NOT DISTINCT FROM (OLD.salt IS NOT NULL OR NULL);
            _sealed := '{reasoning, codec, data}';
            _seals := timeline_is_sealed_v1(OLD.reasoning, NEW.reasoning)
                AND OLD.codec BETWEEN 1 AND 3 AND NEW.codec = OLD.codec + 16;
    END CASE;
    IF _moved
        OR (_archives AND to_jsonb(NEW) - _sealed = to_jsonb(OLD) - _sealed)
        OR (_hollow AND to_jsonb(NEW) - _emptied = to_jsonb(OLD) - _emptied)
        OR (_seals AND to_jsonb(NEW) - _sealed = to_jsonb(OLD) - _sealed) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'UPDATE of % is refused: history is emptied, sealed or archived, and not rewritten',
        TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation', TABLE = TG_TABLE_NAME;
END;
$$;

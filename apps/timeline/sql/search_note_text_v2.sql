-- Make a text of a session findable by its words; nothing to do without a text,
-- or for one that an encrypting project has sealed.
-- Kinds: 1 reasoning of a version, 2 turn, 3 labels of a version.
CREATE FUNCTION timeline_note_text_v2(
    _project text, _session varchar, _kind int, _number bigint, _text text
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF _text <> '' AND NOT starts_with(_text, E'\uFDD0sealed:') THEN
        INSERT INTO timeline_text (session_id, kind, number, words)
        VALUES (_session, _kind, _number, timeline_words_v1(_project, _text))
            ON CONFLICT (session_id, kind, number) DO UPDATE SET words = excluded.words;
    END IF;
END
$$;

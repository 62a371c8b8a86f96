-- The words by which a text is found: those of `simple`, without their places, and one
-- lexeme with the project, so that the index intersects a word with its project. No
-- text can hold that one: the parser never gives a lexeme with a space. Of a text
-- longer than 32,768 characters the beginning counts, and a second such lexeme says so.
CREATE FUNCTION timeline_words_v1(_project text, _text text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    strip(to_tsvector('pg_catalog.simple'::regconfig, left(_text, 32768)))
 || array_to_tsvector(CASE WHEN length(_text) > 32768
                           THEN ARRAY['project ' || _project, 'cut ' || _project]
                           ELSE ARRAY['project ' || _project] END);

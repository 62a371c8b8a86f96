-- Return the words of a text of a document as numbers that no other document has: what
-- an index of words is built of, so that a search reads the memories of one document.
-- Two words may have one number: whoever finds by it compares the words.
CREATE FUNCTION memory_marks_v1(_document varchar, _words text[])
RETURNS bigint[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(
        array_agg(hashtextextended((_document || ' ' || w.word) COLLATE "C", 0)), '{}')
      FROM unnest(_words) w (word)
$$;

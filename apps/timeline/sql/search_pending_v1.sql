-- 64 kB wait to be put in their place, not 256: a search reads less of them, and small
-- installations keep less of them.
ALTER INDEX timeline_text_words SET (gin_pending_list_limit = 64);

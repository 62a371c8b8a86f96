WITH changed AS MATERIALIZED (
    SELECT r.key, r.body_number IS NOT NULL AS is_set
      FROM timeline_keyed_restored_v1(
               %(session)s, %(target)s, %(head)s, %(at)s, false, true) r
     WHERE r.differs)
SELECT count(*) FILTER (WHERE c.is_set) AS set,
       count(*) FILTER (WHERE NOT c.is_set) AS removed,
       ARRAY(SELECT s.key FROM changed s WHERE s.is_set
              ORDER BY s.key LIMIT %(shown)s) AS set_keys,
       ARRAY(SELECT s.key FROM changed s WHERE NOT s.is_set
              ORDER BY s.key LIMIT %(shown)s) AS removed_keys
  FROM changed c

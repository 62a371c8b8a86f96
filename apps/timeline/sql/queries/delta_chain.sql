-- The bodies that are wanted, each with the bases it builds on. A chain ends at its key
-- frame, or above a body whose bytes the reader knows already. One body's chain has no
-- row twice, so UNION ALL carries the bytes along. Several bodies share bases, and UNION
-- compares what it carries, so that is keys alone: with the bytes, 5 MB took 16 ms
-- instead of 4.
WITH RECURSIVE needed AS (
    SELECT {{columns}}
      FROM timeline_body b {{wanted}}
    {{union}}
    SELECT {{columns}}
      FROM timeline_body b
      JOIN needed n ON b.session_id = {{session}} AND b.number = n.base_number
     WHERE b.number <> ALL ({{known}}::bigint[]))

-- Groups of bodies that may be archived: each a key frame and all that builds on it, of
-- which something stands between two numbers and not in an archive. All of a group is as
-- old, and no younger version shows any of it.
{{needed}}, down AS (
    SELECT n.number AS root, n.number FROM needed n WHERE n.base_number IS NULL
     UNION
    SELECT d.root, b.number FROM down d
      JOIN timeline_body b ON b.session_id = %(session)s AND b.base_number = d.number
), members AS (
    SELECT d.root, d.number, b.codec, octet_length(b.data) AS size,
           d.number > %(last)s OR EXISTS (
               SELECT FROM timeline_version v
                WHERE v.session_id = %(session)s AND v.body_number = d.number
                  AND v.body_number <> v.number
                  AND v.number > %(last)s) AS is_young
      FROM down d
      JOIN timeline_body b ON b.session_id = %(session)s AND b.number = d.number
)
SELECT m.root, array_agg(m.number ORDER BY m.number) AS numbers,
       sum(m.size)::bigint AS size
  FROM members m
 WHERE m.codec BETWEEN 1 AND {{archived}} - 1
   AND NOT EXISTS (SELECT FROM members y WHERE y.root = m.root AND y.is_young)
 GROUP BY m.root ORDER BY m.root

WITH mine AS (
    SELECT * FROM pg_roles WHERE pg_has_role(oid, 'MEMBER')),
history AS (
    SELECT c.oid, c.relname, c.relowner FROM pg_class c
     WHERE c.relnamespace = %(schema)s::regnamespace AND c.relname = ANY (%(history)s))
SELECT 'is a superuser' WHERE EXISTS (SELECT FROM mine WHERE rolsuper)
 UNION ALL
SELECT 'may make itself a member of other roles'
 WHERE EXISTS (SELECT FROM mine WHERE rolcreaterole)
 UNION ALL
SELECT 'may replicate the server' WHERE EXISTS (SELECT FROM mine WHERE rolreplication)
 UNION ALL
SELECT 'has the rights of ' || rolname FROM mine
 WHERE rolname IN ('pg_write_all_data', 'pg_read_server_files', 'pg_write_server_files',
                   'pg_execute_server_program', 'pg_create_subscription')
 UNION ALL
SELECT 'owns the database' FROM pg_database
 WHERE datname = current_database() AND datdba IN (SELECT oid FROM mine)
 UNION ALL
SELECT 'owns ' || h.relname FROM history h WHERE h.relowner IN (SELECT oid FROM mine)
 UNION ALL
SELECT 'has ' || right_to || ' on ' || h.relname
  FROM history h, unnest(ARRAY['UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) right_to
 WHERE EXISTS (
     SELECT FROM mine
      WHERE CASE right_to
            WHEN 'UPDATE' THEN has_any_column_privilege(mine.oid, h.oid, 'UPDATE')
            ELSE has_table_privilege(mine.oid, h.oid, right_to) END)
 UNION ALL
SELECT 'owns the function ' || p.proname FROM pg_proc p
 WHERE p.pronamespace = %(schema)s::regnamespace
   AND p.proowner IN (SELECT oid FROM mine)
 UNION ALL
SELECT 'may create objects in the schema ' || %(schema)s::text
 WHERE EXISTS (SELECT FROM mine WHERE has_schema_privilege(oid, %(schema)s, 'CREATE'))
 UNION ALL
SELECT 'may create schemas'
 WHERE EXISTS (
     SELECT FROM mine
      WHERE has_database_privilege(oid, current_database(), 'CREATE'))
 UNION ALL
SELECT 'may switch triggers off by session_replication_role'
 WHERE EXISTS (
     SELECT FROM mine
      WHERE has_parameter_privilege(oid, 'session_replication_role', 'SET'))

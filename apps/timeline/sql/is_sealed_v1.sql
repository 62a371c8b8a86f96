-- Whether a text is as it was, or now sealed: it begins with a character that no text
-- begins with. What was sealed stays as it is.
CREATE FUNCTION timeline_is_sealed_v1(_before text, _after text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    _after IS NOT DISTINCT FROM _before
 OR (_before <> '' AND NOT starts_with(_before, E'\uFDD0sealed:')
     AND coalesce(starts_with(_after, E'\uFDD0sealed:'), false));

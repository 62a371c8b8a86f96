"""All mutants: what, in which file, which text becomes which, noticed by which tests.

Functions are found by their name without the version, so that a new version of one
takes its mutants along. Text that a new version spells otherwise has to be changed
here: a mutant that does not apply fails `test_mutants`.
"""

from __future__ import annotations

from tests.mutants.mutant import Edit, Mutant

APPEND = "apps/timeline/sql/append_v*.sql"
BATCH = "apps/timeline/sql/append_batch_v*.sql"
CREATE = "apps/timeline/sql/create_session_v*.sql"
SET_OPEN = "apps/timeline/sql/set_open_v*.sql"
PROJECT = "apps/timeline/sql/project_v*.sql"
CURRENT = "apps/timeline/sql/current_views_v*.sql"
REFLAG = "apps/timeline/sql/reflag_v*.sql"
KEYS = "apps/timeline/sql/keys_v1.sql"
PAGE_INDEXES = "apps/timeline/sql/session_page_indexes_v*.sql"
TRIGGERS = "apps/timeline/sql/immutable_triggers_v*.sql"
LEDGER = "apps/timeline/ledger/appending.py"
WRITES = "apps/timeline/ledger/encoding/writes.py"
REPLAYS = "apps/timeline/ledger/replays.py"
REPLAY = "apps/timeline/sql/queries/replayed_request.sql"
DECODING = "apps/timeline/versions/decoding/bodies.py"
HEADS = "apps/timeline/versions/heads.py"
SHARED_VALUES = "apps/core/processes/shared_values.py"
ROLLBACKS = "apps/timeline/operations/rollbacks.py"
INTACT = "apps/timeline/versions/intact.py"
PLAIN_HEAD = "apps/timeline/versions/plain_head.py"
CREATION = "apps/timeline/ledger/beginning/creation.py"
CLAIMS = "apps/timeline/ledger/beginning/claims.py"
CHECKS = "apps/timeline/verification/checks.py"
OPENNESS = "apps/timeline/verification/openness.py"
FINDER = "apps/timeline/search/finder.py"
CONTENTS = "apps/timeline/verification/contents.py"
BEGIN_EFFECT = "apps/timeline/sql/effect_begin_v*.sql"
FINISH_EFFECT = "apps/timeline/sql/effect_finish_v*.sql"
EFFECTS = "tests/timeline/effects/test_effects.py::test_"
CROSSING = "tests/timeline/effects/test_crossing.py::test_"
RESULTS = "tests/timeline/effects/test_results.py::test_"
RESULT_RACES = "tests/races/interleavings/test_results.py::test_"
LOCK_EFFECT = "apps/timeline/sql/effect_lock_v*.sql"
STEP_EFFECT = "apps/timeline/sql/effect_step_v*.sql"
EFFECT_RACES = "tests/races/interleavings/test_effects.py::test_"
LEASES = "tests/timeline/shared/test_leases.py::test_"
LEASE_RACES = "tests/races/interleavings/test_leases.py::test_"
LEASE_FIGHT = (
    "tests/timeline/shared/test_at_once.py"
    "::test_fences_only_grow_and_no_late_write_lands"
)
SWEEPING = "tests/heartbeats/test_sweeping.py::test_"
EFFECTS_VERIFIED = "tests/timeline/effects/test_verified.py::test_"
ACTING = "tests/model/test_acting.py::test_effects_and_approvals_do_what_the_model_does"
VERIFIED_TURNS = "apps/timeline/verification/turns/checks.py"
MERGING = "apps/diffs/merging/"
MERGES = "tests/diffs/merging/test_laws.py::test_merges_of_"
MERGED = "tests/diffs/merging/test_states.py"
MERGE = "apps/timeline/operations/merging/appending.py"
MERGE_REQUESTS = "apps/timeline/queries/merging/requests.py"
STATES = "apps/timeline/operations/states.py"
PROMOTE = "tests/timeline/merging/test_promote.py::test_"
RANGES = "tests/timeline/merging/test_ranges.py::test_"
FORKED = "tests/timeline/test_write_forks.py::test_"
MERGED_IN_BOUNDS = "tests/diffs/merging/test_bounds.py::test_"

PACKING = "clients/python/src/stepback/bundles/packing.py"
WORKING = "tests/timeline/search/test_working.py::test_"
SHARES = "tests/surveys/test_shares.py::test_"
FORK_COLUMNS = "tests/experiments/test_api.py::test_"
NUMBERS = "tests/incidents/test_numbers.py::test_"
BUNDLES = "tests/python_client/bundles/test_"
OUTCOMES = "tests/timeline/test_outcomes.py::test_"
BUDGETS = "tests/usage/test_budgets.py::test_"
GUARDS = "tests/guards/test_"
SCHEMAS = "tests/schemas/test_"
USED = "tests/usage/test_turns.py::test_"
VERIFY = "tests/timeline/test_verify.py::test_"
TURNS = "tests/timeline/test_verify_turns.py::test_"
RACES = "tests/races/interleavings/test_interleavings.py::test_"
BATCHES = "tests/races/test_batches.py::test_"
OPEN = "tests/timeline/test_open_items.py::test_"
REOPENED = "tests/timeline/test_open_rebuild.py::test_"
HISTORIES = OPEN + "after_random_histories_it_equals_a_recount"
IMMUTABLE = "tests/timeline/test_immutability.py::test_"
HOLDS = "tests/timeline/test_holds.py::test_"
REASONED = "tests/timeline/test_rollback_reason.py::test_"
ROLLED_BACK = "tests/timeline/test_rollback_verified.py::test_"
WRITTEN = "tests/timeline/test_written.py::test_"
LIMITED = "tests/timeline/test_limited_keys.py::test_"
SEARCH = "tests/timeline/search/test_search.py::test_"
GRANTS = "tests/contracts/test_grants.py::test_"
REMEMBERED = "tests/timeline/test_remembered_heads.py::test_"
DOOR = "tests/timeline/door/test_writes.py::test_"
PROJECTOR = "tests/timeline/projection/test_projector.py::test_"
FED = "tests/timeline/projection/test_feeding.py::test_"
SAME = PROJECTOR + "answers_are_the_same_before_while_and_after_it_projects"
COMPARING = "apps/audit/comparing.py"
TAMPERING = "tests/audit/rows/test_tampering.py::test_"
ROWS = "tests/audit/rows/test_rows.py::test_"
POLICIES = "apps/data/policies/policies.py"
PARSING = "apps/data/policies/parsing.py"
PATTERNS = "apps/data/policies/patterns.py"
DETECTOR = "apps/data/policies/detectors/detector.py"
CHECKED = "tests/data/policies/test_check.py::test_"
PARSED = "tests/data/policies/test_parsing.py::test_"
BOUNDS = "tests/data/policies/test_bounds.py::test_"
KEYED = "tests/timeline/documents/test_at_once.py::test_"
DOCUMENTS = "tests/timeline/documents/test_writing.py::test_"
AT_ONCE = "tests/data/test_at_once.py::test_"
EXCEPTIONS_AT_ONCE = "tests/data/governing/test_at_once.py::test_"
FLOORS = "tests/data/governing/test_floors.py::test_"
DATA_DOOR = "tests/data/test_door.py::test_"
KEPT = "apps/data/checkpoints/kept.py"
STEPPING = "apps/data/operations/keeping/stepping.py"
CHECKPOINTS = "tests/data/test_checkpoints.py::test_"
LOCKS = "tests/data/test_locks.py::test_"
PASSES_BY = LOCKS + "what_one_worker_has_in_hand_another_passes_by"
LONG = "tests/data/test_long_restores.py::test_"
BY_STEPS = "tests/data/test_restores_by_steps.py::test_"
DECIDING = "apps/approvals/operations/deciding.py"
APPROVALS = "tests/approvals/test_deciding.py::test_"
APPROVAL_RACES = "tests/races/interleavings/test_approvals.py::test_"
APPROVALS_VERIFIED = "tests/approvals/test_verified.py::test_"
STANDING = "apps/approvals/standing.py"
ISOLATION = "tests/contracts/test_isolation.py::test_"
KIND = "tests/contracts/test_kind.py::test_"
KEEPING_PINS = "apps/timeline/operations/keeping/pins.py"
TAKING = "apps/timeline/operations/keeping/taking.py"
TOMBSTONES = "apps/timeline/operations/keeping/tombstones.py"
KEEPING_LOCK = "apps/timeline/operations/keeping/locking.py"
PIN_ROWS = "apps/timeline/sql/queries/keeping_pins.sql"
KEPT_BODIES = "apps/timeline/sql/queries/keeping_bodies.sql"
REMOVALS = "apps/timeline/verification/removals.py"
PINS = "tests/timeline/keeping/test_pins.py::test_"
TAKEN = "tests/timeline/keeping/test_taking.py::test_"
FORGED = "tests/timeline/keeping/test_forged.py::test_"
COLUMNS = "tests/timeline/keeping/test_columns.py::test_"
KEEPING_RACES = "tests/races/interleavings/test_keeping.py::test_"
SUPERSEDED = "apps/timeline/sql/queries/keeping_superseded.sql"
EMPTIED = "tests/retention/test_emptied_values.py::test_"
ARCHIVED_VALUES = "tests/retention/test_archived_values.py::test_"
UNNEEDED = "apps/timeline/sql/queries/keeping_unneeded.sql"
PRUNED_DOCUMENTS = "tests/retention/test_pruned_documents.py::test_"
DICT = "tests/data/test_histories.py::test_it_holds_what_a_dict_would"
DOCUMENT_RACES = "tests/races/interleavings/test_documents.py::test_"

# The head as it is, whatever the caller expected.
HEAD = "(SELECT max(v.number) FROM timeline_version v WHERE v.session_id = _session)"
LOOKS = "    IF _key IS NOT NULL THEN\n"
# What is added after it comes last in the file.
LAST = "    ON timeline_session USING gin (metadata_index jsonb_path_ops);\n"
FLAGGED = " WHERE flags <> '[]';\n"
FIRST_LOOK = """\
        if known := replayed(command):
            return known
        act.request.require_sound()
    try:
"""
NEW_IS_SOUND = "        act.request.require_sound()\n"
SECOND_LOOK = """\
        if known := replayed(command):
            return known
        raise
"""


def one(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    return Mutant(name, (Edit(file, old, new),), tests)


def trigger(table: str) -> str:
    return f"""\
CREATE TRIGGER timeline_{table}_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_{table}
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
"""


MUTANTS = (
    # -- who comes second
    one(
        "expected version of an append",
        APPEND,
        "WHEN _head.number <> _expected OR _head.chain <> _chain THEN 'conflict'",
        "WHEN _head.chain <> _chain THEN 'conflict'",
        OUTCOMES + "another_head_than_the_expected_is_a_conflict",
    ),
    one(
        "expected chain of an append",
        APPEND,
        "WHEN _head.number <> _expected OR _head.chain <> _chain THEN 'conflict'",
        "WHEN _head.number <> _expected THEN 'conflict'",
        OUTCOMES + "another_chain_than_the_expected_is_a_conflict",
        DOOR + "a_head_that_was_lost_in_a_failover_is_never_built_on",
    ),
    one(
        "expected head of an append",
        APPEND,
        "WHEN _head.number <> _expected OR _head.chain <> _chain THEN 'conflict'",
        "WHEN false THEN 'conflict'",
        RACES + "an_agent_appends_and_an_agent_acts",
    ),
    one(
        "expected version of a batch",
        BATCH,
        "_session, _project, _expected, _chain, _now, _api_key, _refused,\n",
        f"_session, _project, {HEAD}, _chain, _now, _api_key, _refused,\n",
        OUTCOMES + "another_head_than_the_expected_is_a_conflict",
    ),
    one(
        "unique number",
        PAGE_INDEXES,  # after the files that refer to the key
        FLAGGED,
        FLAGGED + "ALTER TABLE timeline_version"
        " DROP CONSTRAINT timeline_version_pkey CASCADE;\n",
        IMMUTABLE + "a_number_that_is_taken_cannot_be_inserted_again",
        BATCHES + "a_number_taken_in_its_middle_rolls_all_of_it_back",
    ),
    one(
        "a batch's violation of a unique key",
        BATCH,
        "        RETURNING * INTO _new;",
        "        ON CONFLICT DO NOTHING RETURNING * INTO _new;",
        BATCHES + "a_number_taken_in_its_middle_rolls_all_of_it_back",
    ),
    one(
        "row lock",
        APPEND,
        "       FOR NO KEY UPDATE;",
        "       ;",
        RACES + "two_turns_are_said_that_leave_the_state",
    ),
    # -- one request, sent twice
    one(
        "unique key of a version",
        KEYS,
        LAST,
        LAST + "DROP INDEX timeline_version_one_per_request_key;\n",
        IMMUTABLE + "a_key_that_is_taken_cannot_be_inserted_again",
    ),
    one(
        "unique key of a turn",
        KEYS,
        LAST,
        LAST + "DROP INDEX timeline_turn_one_per_request_key;\n",
        IMMUTABLE + "a_key_that_is_taken_cannot_be_inserted_again",
    ),
    one(
        "idempotency check",
        APPEND,
        LOOKS,
        "    IF false THEN\n",
        OUTCOMES + "a_key_is_looked_for_before_everything_else",
        RACES + "an_agent_sends_a_request_twice",
    ),
    one(
        "idempotency check of turns",
        APPEND,
        "WHERE t.session_id = _session AND t.request_key = _key;",
        "WHERE false;",
        RACES + "an_agent_sends_a_request_twice",
    ),
    one(
        "replay before conflict",
        APPEND,
        LOOKS,
        f"    IF _key IS NOT NULL AND _expected = {HEAD} THEN\n",
        OUTCOMES + "a_key_is_looked_for_before_everything_else",
    ),
    one(
        "replay before hold",
        APPEND,
        LOOKS,
        "    IF _key IS NOT NULL AND NOT (SELECT v.hold = ANY (_refused)"
        " FROM timeline_version v WHERE v.session_id = _session"
        " ORDER BY v.number DESC LIMIT 1) THEN\n",
        OUTCOMES + "a_key_is_looked_for_before_everything_else",
    ),
    Mutant(
        "replay before all other checks",
        (
            Edit(LEDGER, FIRST_LOOK, NEW_IS_SOUND + "    try:\n"),
            Edit(LEDGER, SECOND_LOOK, "        raise\n"),
        ),
        (
            HOLDS + "a_write_stored_before_the_pause_is_still_answered",
            "tests/timeline/test_expected_version.py"
            "::test_a_repeated_request_is_answered_although_the_head_has_moved",
        ),
    ),
    one(
        "unknown input of a request that was not stored before",
        LEDGER,
        NEW_IS_SOUND,
        "",
        "tests/contracts/test_unknown_input.py::test_an_unknown_name_is_refused",
    ),
    one(
        "second look for the key",
        LEDGER,
        SECOND_LOOK,
        "        raise\n",
        RACES + "an_agent_sends_a_request_twice",
    ),
    one(
        "digest of a replay, under the lock",
        APPEND,
        "CASE WHEN _past.request_digest = _digest",
        "CASE WHEN true",
        OUTCOMES + "a_key_of_another_request_is_told_before_everything_else",
        RACES + "one_key_comes_with_two_bodies",
    ),
    one(
        "digest of a replay, at the first look",
        REPLAYS,
        "if bytes(found[0].request_digest) != command.act.request.digest:",
        "if False:",
        "tests/timeline/test_update.py::test_a_key_with_another_body_is_refused",
    ),
    one(
        "digest of what begins a session",
        CLAIMS,
        "if bytes(known.digest) != self.request.digest:",
        "if False:",
        "tests/contracts/test_replays.py"
        "::test_another_body_under_the_same_key_is_refused",
    ),
    # -- who may write, and when
    one(
        "API key of an append, under the lock",
        APPEND,
        "    IF _api_key IS NOT NULL THEN\n",
        "    IF false THEN\n",
        OUTCOMES + "a_key_that_opens_no_longer_writes_nothing",
        DOOR + "what_happened_since_the_head_was_remembered_counts",
    ),
    one(
        "a refusal by a remembered head",
        LEDGER,
        "        with suppress(DomainError):\n",
        "        with nullcontext():\n",
        REMEMBERED + "a_write_is_refused_by_the_head_that_is_there_alone",
    ),
    one(
        "a remembered head that another worker knows to be old",
        HEADS,
        "        if found is None or (newest is not None and newest > found.number):\n",
        "        if found is None:\n",
        REMEMBERED + "an_older_copy_than_the_newest_number_is_not_built_on",
    ),
    one(
        "project of a remembered head",
        HEADS,
        "return head if head and head.project_id == scope.project.id else None",
        "return head",
        REMEMBERED + "a_worker_builds_on_the_head_that_another_one_has_stored",
    ),
    one(
        "a head that another worker was still writing",
        SHARED_VALUES,
        "return value if begin[:_DIGEST_BYTES] == _digest(name, value) else None",
        "return value",
        "tests/core/test_shared_values.py"
        "::test_the_first_half_of_a_value_that_is_being_written_is_not_found",
    ),
    one(
        "project of an append",
        APPEND,
        "     WHERE s.id = _session AND s.project_id = _project\n",
        "     WHERE s.id = _session\n",
        OUTCOMES + "a_session_of_another_project_is_unknown",
    ),
    one(
        "kind of an append",
        APPEND,
        "       AND s.kind = _kind\n",
        "",
        OUTCOMES + "a_document_is_unknown",
    ),
    one(
        "kind of a read",
        HEADS,
        "   AND s.kind = %(kind)s\n",
        "",
        KIND + "its_address_answers_as_one_that_nothing_has",
    ),
    one(
        "kind of a plain read",
        PLAIN_HEAD,
        "   AND s.kind = 'session'\n",
        "",
        "tests/timeline/door/test_reads.py"
        "::test_what_is_deleted_or_over_or_no_session_is_not_found",
    ),
    one(
        "kind of a look for the key",
        REPLAY,
        "   AND s.kind = %(kind)s\n",
        "",
        KIND + "a_repeated_request_finds_nothing_of_it",
    ),
    one(
        "kind of lists",
        "apps/timeline/querysets.py",
        ".filter(kind=Kind.SESSION)",
        "",
        KIND + "no_list_shows_it",
    ),
    one(
        "kind of a search",
        FINDER,
        "   AND s.kind = 'session'\n   AND s.status",
        "   AND s.status",
        KIND + "no_search_finds_it",
    ),
    one(
        "project of a read",
        HEADS,
        " WHERE s.id = %(session)s AND s.project_id = %(project)s\n",
        " WHERE s.id = %(session)s\n",
        ISOLATION + "another_projects_key_finds_nothing",
    ),
    one(
        "project of a plain read",
        PLAIN_HEAD,
        "  JOIN timeline_session s ON s.project_id = k.project_id\n",
        "  JOIN timeline_session s ON true\n",
        "tests/timeline/door/test_reads.py"
        "::test_a_session_of_another_project_is_not_found",
    ),
    one(
        "project of a look for the key",
        REPLAY,
        " WHERE s.id = %(session)s AND s.project_id = %(project)s\n",
        " WHERE s.id = %(session)s\n",
        LIMITED + "another_project_cannot_tell_which_keys_a_session_has_seen",
    ),
    one(
        "project of lists",
        "apps/timeline/querysets.py",
        "return self.filter(project_id=project_id)",
        "return self.all()",
        ISOLATION + "strangers_see_empty_lists",
    ),
    one(
        "agent list of a read",
        HEADS,
        "   AND (%(agents)s::text[] IS NULL"
        " OR a.external_id = ANY (%(agents)s::text[]))\n",
        "",
        ISOLATION + "a_key_for_other_agents_finds_nothing",
    ),
    one(
        "agent list of a look for the key",
        REPLAY,
        "   AND (%(agents)s::text[] IS NULL"
        " OR a.external_id = ANY (%(agents)s::text[]))\n",
        "",
        LIMITED + "it_cannot_tell_which_keys_a_session_has_seen",
    ),
    one(
        "project of a search",
        FINDER,
        " AND s.project_id = %(project)s\n   AND (%(agents)s",
        "\n   AND (%(agents)s",
        SEARCH + "it_finds_no_session_of_another_project_by_its_id",
    ),
    one(
        "agent list of a search",
        FINDER,
        "   AND (%(agents)s::text[] IS NULL"
        " OR a.external_id = ANY (%(agents)s::text[]))\n",
        "",
        SEARCH + "a_key_for_some_agents_finds_their_sessions",
    ),
    one(
        "deletion and expiry in a search",
        FINDER,
        "   AND s.status <> 'deleted'\n"
        "   AND (s.expires_at IS NULL OR s.expires_at > %(now)s)\n",
        "",
        SEARCH + "deleted_and_expired_sessions_are_not_found",
    ),
    one(
        "hold, under the lock",
        APPEND,
        "WHEN _head.hold = ANY (_refused) THEN 'held'",
        "WHEN false THEN 'held'",
        OUTCOMES + "a_held_session_is_told_before_a_conflict",
        RACES + "an_agent_appends_to_a_named_head_and_a_person_acts",
    ),
    one(
        "a watched session",
        APPEND,
        "AND _held.is_watched AND NOT _watches THEN 'watched'",
        "AND false THEN 'watched'",
        BUDGETS + "the_turn_that_crosses_it_is_stored_and_the_session_paused_with_it",
    ),
    one(
        "the totals of turns",
        APPEND,
        "'input_tokens', coalesce((spent ->> 'input_tokens')::numeric, 0)",
        "'input_tokens', coalesce((spent ->> 'output_tokens')::numeric, 0)",
        USED + "a_turn_keeps_what_it_used_and_the_totals_up_to_it",
    ),
    one(
        "the currency of a session",
        APPEND,
        "WHEN _usage ->> 'currency' <> spent ->> 'currency' THEN 'currency'",
        "WHEN false THEN 'currency'",
        USED + "another_currency_is_refused_and_stores_nothing",
    ),
    one(
        "totals that do not add up",
        VERIFIED_TURNS,
        "if turn.spent != expected:",
        "if False:",
        USED + "verification_finds_a_changed_figure",
    ),
    one(
        "hold, before the write is built",
        LEDGER,
        "if head.hold in command.policy.refused:",
        "if False:",
        HOLDS + "a_writer_that_is_held_back_is_told_so_before_its_stale_head",
    ),
    one(
        "suspension, under the lock",
        APPEND,
        "WHEN _suspends AND _agent_status = 'suspended' THEN 'suspended'",
        "WHEN false THEN 'suspended'",
        OUTCOMES + "a_suspended_agent_is_told_before_the_hold",
    ),
    one(
        "deletion, under the lock",
        APPEND,
        "WHEN _head.hold = 'deleted' OR _held.expires_at <= _now",
        "WHEN _held.expires_at <= _now",
        OUTCOMES + "a_deleted_session_is_unknown",
        RACES + "two_agents_act",
    ),
    one(
        "expiry, under the lock",
        APPEND,
        "WHEN _head.hold = 'deleted' OR _held.expires_at <= _now",
        "WHEN _head.hold = 'deleted'",
        OUTCOMES + "an_expired_session_is_unknown",
    ),
    one(
        "recorded end, under the lock",
        APPEND,
        "\n          OR _held.expired_at IS NOT NULL THEN 'unknown'",
        " THEN 'unknown'",
        OUTCOMES + "a_session_whose_end_was_recorded_is_unknown",
        "tests/races/test_expiry.py"
        "::test_a_writer_that_waited_for_the_sweep_opens_nothing",
    ),
    # -- what is open
    one(
        "what begins or ends to wait",
        APPEND,
        "        IF (_waits IS NOT NULL OR _flags",
        "        IF (_flags",
        OPEN + "a_state_or_an_objective_asks_for_a_human",
        RACES + "what_is_open_follows_every_order",
    ),
    one(
        "what is held",
        APPEND,
        " OR _hold <> _head.hold\n",
        "\n",
        HISTORIES,
        RACES + "what_is_open_follows_every_order",
    ),
    one(
        "what a rollback sets aside",
        APPEND,
        "\n            OR _restored_number IS NOT NULL) AND",
        ") AND",
        HISTORIES,
        RACES + "what_is_open_follows_every_order",
    ),
    one(
        "what is open after a batch",
        BATCH,
        "IF _each_waits[_at] IS NOT NULL OR _new.flags <> '[]' THEN",
        "IF false THEN",
        OPEN + "a_batch_counts_each_of_its_versions",
    ),
    one(
        "who waits from the beginning",
        CREATE,
        "    IF _waits THEN\n",
        "    IF false THEN\n",
        OPEN + "a_session_can_begin_waiting_and_so_can_a_fork",
    ),
    one(
        "the end of waiting",
        SET_OPEN,
        "ELSIF NOT _waits THEN",
        "ELSIF false THEN",
        HISTORIES,
    ),
    one(
        "since when it waits",
        SET_OPEN,
        "o.session_id = _new.session_id AND o.kind = 'waiting')\n",
        "o.session_id = _new.session_id AND o.kind = 'waiting'"
        " AND o.number = _new.number)\n",
        HISTORIES,
    ),
    one(
        "who a closed session waits for",
        SET_OPEN,
        " OR o.kind = 'waiting' AND _new.hold = 'closed');",
        ");",
        OPEN + "a_closed_session_waits_for_nobody_and_lost_what_it_lost",
    ),
    one(
        "what is open in a deleted session",
        SET_OPEN,
        "    IF _new.hold = 'deleted' THEN",
        "    IF false THEN",
        OPEN + "a_deleted_session_has_nothing_open",
    ),
    one(
        "a rollback's own flags",
        SET_OPEN,
        "    ELSIF _new.flags <> '[]' THEN",
        "    END IF;\n    IF _new.flags <> '[]' THEN",
        OPEN + "a_rollback_is_not_flagged_itself",
    ),
    one(
        "lineage of what a rollback brings back",
        REFLAG,
        "            _to := _to_jump.restored_number;",
        "            _to := _to_jump.number - 1;",
        HISTORIES,
    ),
    one(
        "lineage of what a rollback sets aside",
        REFLAG,
        "            _from := _from_jump.restored_number;",
        "            _from := _from_jump.number - 1;",
        HISTORIES,
    ),
    one(
        "room for what was not listed",
        REFLAG,
        "    IF NOT _was_full THEN",
        "    IF true THEN",
        OPEN + "of_one_session_so_many_are_listed_the_newest",
    ),
    one(
        "pauses that say nothing",
        WRITES,
        "SILENT = frozenset({Op.PAUSE, Op.RESUME})",
        "SILENT = frozenset()",
        OPEN + "an_agent_that_asks_and_pauses_itself_still_waits",
    ),
    one(
        "wide states that ask",
        WRITES,
        "if not any(rule.may_hold(written) for rule in rules):",
        "if written:",
        OPEN + "rollbacks_of_wide_and_large_states_are_heard",
    ),
    one(
        "sweep of what is open",
        "apps/timeline/operations/expiry.py",
        "[session.id for session in found]",
        "[]",
        OPEN + "an_expired_session_is_not_shown_and_the_sweep_removes_it",
    ),
    one(
        "expiry in lists of what is open",
        "apps/timeline/sql/queries/open_items.sql",
        " AND (s.expires_at IS NULL OR s.expires_at > %(now)s)\n         ORDER",
        "\n         ORDER",
        OPEN + "an_expired_session_is_not_shown_and_the_sweep_removes_it",
    ),
    one(
        "recount of what is flagged",
        OPENNESS,
        "one for one in listed.flagged if set_aside_by(live, one) is None",
        "one for one in stored[OpenKind.FLAGGED]",
        REOPENED + "damage_is_named_as_derived_and_repaired",
    ),
    # -- proof
    one(
        "chain of an append",
        APPEND,
        "|| _head.chain\n",
        "\n",
        VERIFY + "one_of_every_kind_of_version_holds",
    ),
    one(
        "chain of a batch",
        BATCH,
        "|| _before.chain\n",
        "\n",
        VERIFY + "a_batch_holds",
    ),
    one(
        "chain of a beginning",
        CREATE,
        "|| _previous_chain || int8send",
        "|| int8send",
        VERIFY + "one_of_every_kind_of_version_holds",
    ),
    one(
        "chain of a fork",
        CREATION,
        '"previous_chain": origin.chain if origin else NO_CHAIN,',
        '"previous_chain": NO_CHAIN,',
        VERIFY + "forks_hold_and_begin_with_their_origins_chain",
    ),
    one(
        "chain in verification",
        CHECKS,
        "if proof.chain(previous_chain, version.number, version.leaf) != version.chain",
        "if False",
        VERIFY + "a_finding_says_what_kind_of_link_is_broken",
    ),
    one(
        "leaf in verification",
        CHECKS,
        "if claim.leaf() != version.leaf:",
        "if False:",
        VERIFY + "a_finding_says_what_kind_of_link_is_broken",
    ),
    one(
        "commitment in verification",
        CONTENTS,
        "        bodies.verify(raw, body.salt, commitment)\n",
        "",
        VERIFY + "a_finding_says_what_kind_of_link_is_broken",
        VERIFY + "every_flipped_bit_is_found_where_it_is",
    ),
    one(
        "gaps in verification",
        CHECKS,
        "if version.number != expected:",
        "if False:",
        VERIFY + "a_missing_version_is_found",
    ),
    one(
        "rollbacks in verification",
        CHECKS,
        "if (version.body_number, version.commitment) != target:",
        "if False:",
        VERIFY + "a_finding_says_what_kind_of_link_is_broken",
    ),
    one(
        "chain of a turn",
        APPEND,
        "SELECT t.turn_number, t.chain, t.created_at",
        "SELECT t.turn_number, NULL, t.created_at",
        TURNS + "turns_hold_and_are_counted",
    ),
    one(
        "the session of a chain of turns",
        APPEND,
        "sha256('\\x04'::bytea || convert_to(_session, 'UTF8'))",
        "sha256('\\x04'::bytea)",
        TURNS + "turns_hold_and_are_counted",
    ),
    one(
        "chain of turns in verification",
        VERIFIED_TURNS,
        "if expected != turn.chain:",
        "if False:",
        TURNS + "closing_the_gap_does_not_help",
        TURNS + "swapped_turns_are_found",
    ),
    one(
        "leaf of turns in verification",
        VERIFIED_TURNS,
        "if turn.leaf is not None and claim.leaf() != turn.leaf:",
        "if False:",
        TURNS + "a_changed_column_is_found_where_it_is",
    ),
    one(
        "turns that are gone in verification",
        "apps/timeline/sql/queries/verify_strays.sql",
        "AND v.op = 'turn'",
        "AND false",
        TURNS + "a_last_turn_that_made_a_version_is_missed_there",
    ),
    one(
        "commitment in reads",
        DECODING,
        "            bodies.verify(raws[key], row.salt, wanted[key])\n",
        "",
        WRITTEN + "no_state_is_read_that_its_commitment_does_not_hold",
    ),
    one(
        "verification of what is restored",
        ROLLBACKS,
        "    require_intact(version)\n",
        "",
        ROLLED_BACK + "a_broken_body_is_not_restored_and_nothing_is_written",
    ),
    one(
        "reason that a project requires",
        ROLLBACKS,
        "        require_reason(act, step)\n",
        "",
        REASONED + "without_a_reason_nothing_is_stored",
    ),
    one(
        "white space that is no reason",
        ROLLBACKS,
        '(step.reasoning or "").strip()',
        '(step.reasoning or "")',
        REASONED + "without_a_reason_nothing_is_stored",
    ),
    one(
        "stored bytes of a large body",
        INTACT,
        "if bodies.cache.seal(key) == seal:",
        "if bodies.cache.seal(key):",
        ROLLED_BACK + "a_large_body_that_breaks_later_is_not_restored",
    ),
    one(
        "stored bytes of what a large body builds on",
        INTACT,
        "if seal is not None and seal.stored == seals[place]:",
        "if seal is not None:",
        ROLLED_BACK + "a_large_body_that_breaks_later_is_not_restored",
    ),
    one(
        "time that never runs backwards",
        APPEND,
        "created_at := greatest(_head.created_at, _now);",
        "created_at := _now;",
        OUTCOMES + "time_does_not_run_backwards",
    ),
    # -- what is stored stays, and belongs together
    one(
        "immutable versions",
        TRIGGERS,
        trigger("version"),
        "",
        IMMUTABLE + "no_way_to_change_history_gets_past_the_database",
    ),
    one(
        "immutable bodies",
        TRIGGERS,
        trigger("body"),
        "",
        IMMUTABLE + "no_way_to_change_history_gets_past_the_database",
    ),
    one(
        "requests without a right to change history",
        "apps/timeline/tables.py",
        '"timeline_version": immutable(worker="INSERT"),',
        '"timeline_version": immutable(web="INSERT, UPDATE, DELETE", worker="INSERT"),',
        IMMUTABLE + "no_way_to_change_history_gets_past_the_database",
        GRANTS + "each_role_may_do_what_is_declared_and_no_more",
    ),
    one(
        "functions that nobody may run unless it is granted",
        "apps/core/roles/grants.py",
        '("TABLES", "SEQUENCES", "ROUTINES")',
        '("TABLES", "SEQUENCES")',
        GRANTS + "what_comes_later_is_nobodys_until_it_is_declared",
    ),
    one(
        "the word of retention alone",
        "apps/audit/sql/refuse_change_v*.sql",
        "_asking = ANY (_erasers)",
        "true",
        IMMUTABLE + "a_right_to_update_is_not_yet_the_right_to_erase",
    ),
    one(
        "existence of the body that a version shows",
        APPEND,
        "        IF _data IS NULL AND NOT EXISTS (\n",
        "        IF false AND NOT EXISTS (\n",
        OUTCOMES + "a_version_cannot_show_a_body_that_does_not_exist",
    ),
    one(
        "cache of committed bodies only",
        LEDGER,
        "transaction.on_commit(lambda: bodies.cache.put(key, raw))",
        "bodies.cache.put(key, raw)",
        "tests/timeline/test_body_cache.py",
    ),
    # -- what is projected, and what is pending
    one(
        "of several values the last",
        PROJECT,
        "ORDER BY p.session_id, t.path_key, p.number DESC, p.turn_number DESC\n",
        "ORDER BY p.session_id, t.path_key, p.number, p.turn_number\n",
        PROJECTOR + "of_several_values_the_last_is_what_is_held",
    ),
    one(
        "a session that another projects is left alone",
        "apps/timeline/sql/take_pending_v*.sql",
        "FOR UPDATE OF p SKIP LOCKED",
        "FOR UPDATE OF p",
        PROJECTOR + "a_session_that_another_projects_is_left_alone_as_a_whole",
    ),
    one(
        "what a batch leaves pending",
        BATCH,
        "_each_event_id, _items, _path_keys",
        "_each_event_id, NULL, _path_keys",
        "tests/timeline/test_batch.py::test_"
        "a_hundred_at_once_are_what_a_hundred_single_writes_are",
    ),
    one(
        "of several pending values the last",
        CURRENT,
        "(l.number, l.turn_number) > (p.number, p.turn_number)",
        "l.number < 0",
        PROJECTOR + "of_several_values_the_last_is_what_is_held",
    ),
    one(
        "what is pending replaces what is projected",
        CURRENT,
        "                      AND t.path_key = ANY (p.term_keys))\n",
        "                      AND false)\n",
        SAME,
    ),
    one(
        "a search looks through what is pending",
        "apps/timeline/search/index_scan.py",
        "AND ({{pending}})",
        "AND false AND ({{pending}})",
        SAME,
    ),
    # -- what is fed
    one(
        "an act is in the outbox",
        "apps/audit/operations.py",
        "in (_EVENT, _OUTBOX)",
        "in (_EVENT,)",
        FED + "what_is_written_is_fed_once_and_in_the_order_of_its_session",
    ),
    one(
        "a turn's event is fed",
        APPEND,
        "ARRAY[_event_id, _turn_event_id]",
        "ARRAY[_event_id]",
        FED + "what_is_written_is_fed_once_and_in_the_order_of_its_session",
    ),
    one(
        "an hour waits for what is to be fed",
        "apps/metrics/rollups.py",
        "hour < coalesce(%(waits)s::timestamptz, 'infinity')",
        "coalesce(%(waits)s::timestamptz, 'infinity') IS NOT NULL",
        "tests/metrics/test_rollups.py::test_"
        "an_hour_with_an_event_that_is_not_fed_stays_open",
    ),
    # -- what records cover
    one(
        "a row that no record accounts for",
        COMPARING,
        '            return "it is there, and no record says who made it"\n',
        "            return None\n",
        TAMPERING + "each_tampering_is_named",
    ),
    one(
        "what is covered of a key",
        "apps/accounts/covered.py",
        '        "revoked_at",\n    ),\n',
        "    ),\n",
        TAMPERING + "each_tampering_is_named",
        TAMPERING + "two_at_once_are_both_named_and_nothing_else",
    ),
    one(
        "a row that its record removed",
        COMPARING,
        "return gone if pair.is_present else None",
        "return None",
        TAMPERING + "what_was_removed_and_put_back_is_named",
    ),
    one(
        "rows from before are no damage",
        COMPARING,
        "        if first is None:\n            return True\n",
        "        if first is None:\n            return False\n",
        ROWS + "what_was_recorded_before_is_counted_and_never_called_damage",
    ),
    # -- kinds of statements
    one(
        "a head that is named by another table",
        "apps/timeline/versions/heads.py",
        "                 WHERE h.session_id = %(session)s\n",
        "                 WHERE h.session_id = s.id\n",
        "tests/timeline/test_read.py::test_it_reads_the_head_of_a_session",
    ),
    one(
        "a turn that is not earlier than the one before it",
        APPEND,
        "turn_created_at := greatest(turn_created_at, created_at);",
        "turn_created_at := created_at;",
        TURNS + "a_clock_that_went_back_is_no_damage_and_makes_no_turn_earlier",
    ),
    # -- policies
    one(
        "a policy that is on",
        POLICIES,
        "case Rule.SECRETS if self.block_secrets:",
        "case Rule.SECRETS if False:",
        CHECKED + "a_block_says_rule_kind_and_place",
    ),
    one(
        "a policy that is off",
        POLICIES,
        "case Rule.PERSONAL_DATA if self.block_pii:",
        "case Rule.PERSONAL_DATA:",
        CHECKED + "a_policy_that_is_off_blocks_nothing",
    ),
    one(
        "a prefix that is denied",
        POLICIES,
        "if key.startswith(self.denied_key_prefixes):",
        "if key in self.denied_key_prefixes:",
        CHECKED + "a_key_that_is_denied_is_blocked_even_if_it_is_allowed",
    ),
    one(
        "a prefix of every list that allows",
        POLICIES,
        "if not all(map(key.startswith, self.allowed_key_prefixes)):",
        "if not any(map(key.startswith, self.allowed_key_prefixes)):",
        CHECKED + "without_policies_everything_passes",
        CHECKED + "a_floor_is_never_lowered",
    ),
    one(
        "the largest value that is allowed",
        POLICIES,
        "if most is not None and size > most:",
        "if most is not None and size >= most:",
        CHECKED + "a_value_may_be_as_large_as_is_said_and_no_larger",
    ),
    one(
        "the longest prefix of a retention",
        POLICIES,
        "self.by_prefix[max(prefixes, key=len)]",
        "self.by_prefix[min(prefixes, key=len)]",
        CHECKED + "what_is_written_expires_after_the_days_of_the_longest_prefix",
    ),
    one(
        "the patterns of a config",
        POLICIES,
        "if pattern.is_in(form):",
        "if False:",
        CHECKED + "a_block_says_rule_kind_and_place",
    ),
    one(
        "a retention without a prefix",
        POLICIES,
        "if prefixes else self.days",
        "if prefixes else None",
        CHECKED + "what_is_written_expires_after_the_days_of_the_longest_prefix",
        "tests/data/test_expiry.py::test_retention_gives_a_value_its_end",
    ),
    one(
        "how many checkpoints a policy keeps",
        KEPT,
        "last=MOST_KEPT if last is None else min(last, MOST_KEPT),",
        "last=MOST_KEPT,",
        CHECKPOINTS + "a_policy_keeps_the_newest",
    ),
    one(
        "how many days a policy keeps checkpoints",
        KEPT,
        "days=policies.checkpoint_keep_days,",
        "days=None,",
        "tests/data/test_restores.py::test_a_policy_of_days_hides_older_ones",
    ),
    one(
        "checkpoints that are hidden for good",
        "apps/data/operations/checkpoints.py",
        "    _hide_others(act, document)\n    # As",
        "    # As",
        CHECKPOINTS + "a_policy_keeps_the_newest",
    ),
    one(
        "a floor that blocks secrets",
        POLICIES,
        "block_secrets=self.block_secrets or floor.block_secrets,",
        "block_secrets=self.block_secrets,",
        CHECKED + "a_floor_holds_for_a_config_that_says_otherwise",
    ),
    one(
        "a floor with patterns",
        POLICIES,
        "*(one for one in floor.patterns if one not in own),",
        "",
        CHECKED + "a_floor_holds_for_a_config_that_says_otherwise",
    ),
    one(
        "a floor with a retention",
        POLICIES,
        "retentions=self.retentions + floor.retentions,",
        "retentions=self.retentions,",
        CHECKED + "a_floor_is_never_lowered",
    ),
    one(
        "a floor with prefixes that keys must have",
        POLICIES,
        "=self.allowed_key_prefixes + floor.allowed_key_prefixes,",
        "=self.allowed_key_prefixes,",
        CHECKED + "a_floor_holds_for_a_config_that_says_otherwise",
    ),
    one(
        "a floor with prefixes that no key may have",
        POLICIES,
        "=self.denied_key_prefixes + floor.denied_key_prefixes,",
        "=self.denied_key_prefixes,",
        CHECKED + "a_floor_holds_for_a_config_that_says_otherwise",
    ),
    one(
        "a floor with numbers",
        POLICIES,
        "name: _least(getattr(self, name), getattr(floor, name))",
        "name: getattr(self, name)",
        CHECKED + "a_floor_holds_for_a_config_that_says_otherwise",
        CHECKED + "a_floor_is_never_lowered",
    ),
    one(
        "a floor that blocks personal data",
        POLICIES,
        "block_pii=self.block_pii or floor.block_pii,",
        "block_pii=self.block_pii,",
        CHECKED + "a_floor_holds_for_a_config_that_says_otherwise",
    ),
    one(
        "patterns that take too long",
        POLICIES,
        "if time.thread_time() >= until:",
        "if False:",
        CHECKED + "patterns_that_take_too_long_block",
    ),
    one(
        "an exception from one rule alone",
        "apps/data/policies/blocks.py",
        "if rule != self.rule:",
        "if False:",
        CHECKED + "an_exempt_prefix_lets_its_keys_pass",
    ),
    one(
        "a fingerprint that names its place",
        "apps/data/policies/places.py",
        "(rule.encode(), self.place.encode(), self.whole)",
        "(rule.encode(), self.whole)",
        CHECKED + "the_text_of_an_exemption_passes_and_no_other",
        CHECKED + "a_fingerprint_is_of_the_secret_the_rule_and_the_place",
    ),
    one(
        "a misspelt policy",
        PARSING,
        "        if key not in READERS:\n            raise",
        "        if key not in READERS:\n            continue\n            raise",
        PARSED + "a_misspelt_policy_is_refused_with_the_likely_one",
    ),
    one(
        "policies where they would do nothing",
        PARSING,
        "        if key != NAME and _is_like_policies(key, child):",
        "        if False:",
        PARSED + "policies_where_they_would_do_nothing_are_refused",
    ),
    one(
        "repetitions that are too large",
        PATTERNS,
        "if expression.size > MOST_INSTRUCTIONS:",
        "if False:",
        PARSED + "a_pattern_that_re2_does_not_take_is_refused",
    ),
    one(
        "a pattern that matches everything",
        PATTERNS,
        'if expression.first(b"") is not None:',
        "if False:",
        PARSED + "a_pattern_that_re2_does_not_take_is_refused",
    ),
    one(
        "candidates that are confirmed",
        DETECTOR,
        "if number >= self.most or self.confirm(candidate):",
        "if self.confirm(candidate):",
        BOUNDS + "confirmations_are_bounded",
        BOUNDS + "what_comes_after_too_many_near_misses_counts_as_found",
    ),
    one(
        "a set that gave up",
        "apps/data/policies/expressions.py",
        "if self._count not in found:",
        "if False:",
        BOUNDS + "a_set_that_gave_up_says_that_anything_may_be_there",
    ),
    # -- locks of agents' data
    one(
        "the lock of a keyed document",
        "apps/timeline/sql/keyed_lock_v*.sql",
        "        FOR NO KEY UPDATE;",
        "        ;",
        KEYED + "of_writers_of_one_key_the_last_wins_and_all_are_kept",
        KEYED + "the_limit_of_keys_is_exact",
    ),
    one(
        "the config under which a write was checked",
        "apps/timeline/sql/keyed_write_v*.sql",
        "    IF _config IS NOT NULL AND _config <> coalesce(",
        "    IF false AND _config <> coalesce(",
        DOCUMENTS + "entries_are_written_under_the_config_they_were_checked_against",
        AT_ONCE + "a_write_is_held_to_the_config_that_stands_when_it_commits",
    ),
    one(
        "the limit of keys under the lock",
        "apps/timeline/sql/keyed_write_v*.sql",
        "    IF _tally.keys + cardinality(_keys) > _most THEN",
        "    IF false THEN",
        DOCUMENTS + "no_more_keys_than_are_allowed",
        KEYED + "the_limit_of_keys_is_exact",
    ),
    one(
        "the version of a key that a writer saw",
        "apps/timeline/sql/keyed_write_v*.sql",
        "         WHERE u.expected <> coalesce(h.ordinal, 0);",
        "         WHERE false;",
        DOCUMENTS + "a_key_is_written_only_where_it_is_what_the_writer_saw",
        KEYED + "one_of_those_that_saw_the_same_value_wins",
    ),
    one(
        "the head that whoever restores saw",
        "apps/timeline/sql/keyed_restore_v*.sql",
        "        WHEN (_lock.head).number <> _expected THEN 'moved'",
        "        WHEN false THEN 'moved'",
        DOCUMENTS + "a_restore_is_refused_when_something_was_written_since",
        KEYED + "of_two_restores_on_one_head_one_is_stored",
    ),
    one(
        "an act of a document that is sent again",
        "apps/timeline/sql/keyed_lock_v*.sql",
        "       AND head.request_digest = _act.digest AND",
        "       AND false AND",
        DOCUMENTS + "the_heads_own_act_sent_again_without_a_key_is_stored_once",
        DOCUMENTS + "a_restore_sent_again_answers_its_counts_again",
    ),
    one(
        "the chain of a stream under its lock",
        "apps/audit/sql/append_record_v*.sql",
        "    PERFORM pg_advisory_xact_lock(hashtextextended(",
        "    PERFORM (hashtextextended(",
        "tests/audit/test_streams.py::test_twenty_writers_at_once_make_one_chain_"
        "without_gaps",
    ),
    one(
        "details that are emptied beside their salt",
        "apps/audit/chain.py",
        "        return is_erased(record)\n"
        "    digest = details_digest(bytes(record.salt), record.details)\n"
        "    return digest == bytes(record.details_digest)",
        "        return is_erased(record)\n    return True",
        "tests/audit/test_erasable.py::test_what_is_changed_is_named_whatever_was_erased",
    ),
    one(
        "a checkpoint that waits for its document",
        "apps/timeline/operations/documents/writing.py",
        "    hold_document(act=act, document=document, told=told)\n"
        "    found = standing(",
        "    found = standing(",
        LOCKS + "a_checkpoint_waits_for_another_of_the_agent",
    ),
    one(
        "a lock of what another had begun a moment ago",
        "apps/timeline/operations/documents/writing.py",
        "    while not lock_session(document.id):",
        "    if not lock_session(document.id):",
        "tests/timeline/documents/test_at_once.py"
        "::test_who_finds_it_begun_a_moment_later_holds_it_as_well",
    ),
    one(
        "an agent that was suspended while a checkpoint waited",
        "apps/data/operations/checkpoints.py",
        "Agent.objects.get(id=agent.id).require_writing()",
        "agent.require_writing()",
        LOCKS + "what_was_decided_while_a_checkpoint_waited_refuses_it",
    ),
    one(
        "a schedule that one worker has in hand",
        "apps/data/operations/keeping/scheduling.py",
        "Schedule.objects.select_for_update(skip_locked=True).due(now)",
        "Schedule.objects.due(now)",
        PASSES_BY,
    ),
    one(
        "a schedule that is passed by",
        "apps/data/operations/keeping/scheduling.py",
        "Schedule.objects.select_for_update(skip_locked=True).due(now)",
        "Schedule.objects.select_for_update().due(now)",
        PASSES_BY,
    ),
    one(
        "a release that one worker has in hand",
        "apps/data/operations/keeping/releases.py",
        "Release.objects.select_for_update(skip_locked=True)",
        "Release.objects.all()",
        PASSES_BY,
    ),
    one(
        "a release that is passed by",
        "apps/data/operations/keeping/releases.py",
        "Release.objects.select_for_update(skip_locked=True)",
        "Release.objects.select_for_update()",
        PASSES_BY,
    ),
    one(
        "a restore that one worker has in hand",
        STEPPING,
        "rows.running().select_for_update(skip_locked=skip_locked).first()",
        "rows.running().first()",
        PASSES_BY,
    ),
    one(
        "a restore that is passed by",
        STEPPING,
        "return _step(document_id, restore_id, now, skip_locked=True)",
        "return _step(document_id, restore_id, now, skip_locked=False)",
        PASSES_BY,
    ),
    one(
        "what was written after the version that was seen",
        "apps/timeline/sql/keyed_restored_v*.sql",
        "     WHERE last.number <= _seen;",
        "     ;",
        LONG + "what_is_written_meanwhile_stays",
        BY_STEPS + "what_others_write_between_steps_stays_and_is_counted",
    ),
    one(
        "a restore of many keys by steps",
        "apps/data/operations/keeping/by_steps.py",
        "if touched <= restoring.AT_ONCE:",
        "if True:",
        BY_STEPS + "it_is_answered_when_all_steps_are_made",
    ),
    # -- effects
    one(
        "what a rollback has set aside, for an effect",
        BEGIN_EFFECT,
        "        WHEN _is_aside THEN 'aside'\n",
        "",
        EFFECTS + "what_was_decided_on_what_is_set_aside_does_not_begin",
        EFFECT_RACES + "nothing_begins_after_what_stops_it",
    ),
    one(
        "an effect whose outcome is unknown",
        BEGIN_EFFECT,
        "            WHEN _last.status <> 'failed' AND _class",
        "            WHEN false AND _class",
        EFFECTS + "what_nobody_finishes_in_time_is_unknown",
    ),
    one(
        "the call that an effect's key stands for",
        BEGIN_EFFECT,
        "            WHEN _effect.call_digest <> _call_digest\n",
        "            WHEN false\n",
        EFFECTS + "a_key_stands_for_one_call",
    ),
    one(
        "attempt of a finish",
        FINISH_EFFECT,
        "        WHEN NOT _settles AND attempt <> _attempt THEN 'attempt'\n",
        "",
        EFFECTS + "another_attempt_than_the_newest_cannot_finish",
    ),
    one(
        "an effect that is done for good",
        FINISH_EFFECT,
        "        WHEN _last.status IN ('done', 'failed', 'reused')\n",
        "        WHEN false\n",
        EFFECTS + "a_finish_is_repeated_with_the_same_words_alone",
        EFFECT_RACES + "two_that_finish_otherwise_leave_one_outcome",
    ),
    one(
        "effects that an earlier rollback has crossed",
        "apps/timeline/sql/queries/crossing.sql",
        "WHERE c.session_id = %(session)s)) f) f",
        "WHERE c.session_id = %(session)s AND false)) f) f",
        CROSSING + "what_a_rollback_crossed_is_known_again_once_that_is_taken_back",
    ),
    # -- results
    one(
        "results that a rollback has set aside",
        "apps/timeline/sql/queries/results.sql",
        "%(set_aside)s::boolean OR",
        "true OR",
        RESULTS + "what_a_rollback_has_set_aside_answers_only_who_asks_for_it",
        RESULT_RACES + "what_is_set_aside_or_forgotten_answers_nobody_after_it",
    ),
    one(
        "the lock under which the record is asked",
        "apps/timeline/operations/effects/beginning.py",
        "    lock_session(session_id)\n    source =",
        "    source =",
        RESULT_RACES + "what_is_set_aside_or_forgotten_answers_nobody_after_it",
    ),
    one(
        "another agent's results, for a fork",
        "apps/timeline/queries/effects/results.py",
        "if origin is None or origin.agent_id != agent_id:",
        "if origin is None:",
        RESULTS + "a_fork_for_another_agent_is_not_answered",
    ),
    one(
        "what was on its way when it was forgotten",
        "apps/timeline/sql/queries/results.sql",
        "f.created_at >= e.created_at",
        "f.created_at >= t.created_at",
        RESULTS + "what_was_on_its_way_is_forgotten_with_the_rest",
    ),
    one(
        "an escalation that is told once",
        FINISH_EFFECT,
        "timeline_effect_failures_v1(_session, tool) = 3 THEN",
        "timeline_effect_failures_v1(_session, tool) >= 3 THEN",
        "tests/timeline/effects/test_failing.py::test_"
        "the_third_failed_attempt_is_told_once",
    ),
    one(
        "the lock under which an effect begins",
        LOCK_EFFECT,
        "AND s.kind = 'session'\n       FOR NO KEY UPDATE;",
        "AND s.kind = 'session';",
        APPROVAL_RACES + "what_was_allowed_does_not_begin_after_what_stops_it",
    ),
    one(
        "the attempt that an unknown effect begins",
        BEGIN_EFFECT,
        "    attempt := coalesce(_last.attempt, 0) + 1;\n",
        "    attempt := coalesce(_last.attempt, 1);\n",
        EFFECTS + "what_failed_is_tried_again_under_the_same_key",
        ACTING,
    ),
    one(
        "whose end is waited for no more",
        STEP_EFFECT,
        "        DELETE FROM timeline_effectdue d\n",
        "        DELETE FROM timeline_effectdue d USING (SELECT WHERE false) x\n",
        EFFECT_RACES + "what_is_finished_late_is_told_as_unknown_at_most_once",
        ACTING,
    ),
    one(
        "an end that is not waited for, in a verification",
        "apps/timeline/sql/queries/verify_effects_due.sql",
        "THEN d.due_at IS DISTINCT FROM t.deadline\n",
        "THEN d.due_at <> t.deadline\n",
        EFFECTS_VERIFIED + "damage_is_named_as_derived_and_repaired",
    ),
    # -- shared documents, heartbeats
    one(
        "a fence below the newest",
        "apps/timeline/sql/fenced_v*.sql",
        "l.session_id = _session AND l.fence = _fence)",
        "l.session_id = _session AND l.fence >= _fence)",
        LEASES + "a_fence_grows_with_each_holder_and_a_late_write_is_refused",
        LEASE_FIGHT,
    ),
    one(
        "a lease that another holds, in a write without a fence",
        "apps/timeline/sql/fenced_v*.sql",
        "AND l.until > clock_timestamp())",
        "AND false)",
        LEASES + "only_the_holder_writes_while_it_is_held",
    ),
    one(
        "the fence of whoever is next",
        "apps/timeline/sql/lease_v*.sql",
        "               fence = l.fence + 1, until = excluded.until\n",
        "               fence = l.fence, until = excluded.until\n",
        LEASES + "a_fence_grows_with_each_holder_and_a_late_write_is_refused",
        LEASE_FIGHT,
    ),
    one(
        "the lock under which a lease is taken",
        "apps/timeline/sql/lease_v*.sql",
        "        FOR NO KEY UPDATE;\n",
        "        ;\n",
        LEASE_RACES + "of_two_that_take_one_holds",
        LEASE_RACES + "a_late_write_lands_before_the_next_holder_or_not_at_all",
    ),
    one(
        "the clock of a lease, read once the lock is held",
        "apps/timeline/sql/lease_v*.sql",
        "    _now := clock_timestamp();\n",
        "    _now := '2020-01-01Z';\n",
        LEASES + "it_is_taken_by_one_and_refused_to_others",
    ),
    one(
        "whose lease is renewed",
        "apps/timeline/sql/lease_v*.sql",
        "              OR _lease.actor_id <> _actor_id THEN 'stale'\n",
        "              THEN 'stale'\n",
        LEASES + "the_same_name_under_another_key_is_another_holder",
    ),
    one(
        "what another sweep has taken",
        "apps/heartbeats/models.py",
        "        return due.select_for_update(skip_locked=True)\n",
        "        return due\n",
        "tests/heartbeats/test_at_once.py::test_two_sweeps_at_once_tell_once",
    ),
    one(
        "that a silence was told",
        "apps/heartbeats/operations/sweeping.py",
        "        one.silent_since = found.wrote_at\n",
        "",
        SWEEPING + "who_is_silent_is_told_of_once",
    ),
    one(
        "a turn as a sign of life",
        "apps/heartbeats/sql/queries/newest.sql",
        "greatest(v.created_at, t.created_at) AS wrote_at",
        "v.created_at AS wrote_at",
        SWEEPING + "a_turn_without_a_version_is_a_sign_of_life",
    ),
    one(
        "what is told and noted in one transaction",
        "apps/heartbeats/operations/sweeping.py",
        "@transaction.atomic\ndef _some(",
        "def _some(",
        SWEEPING + "what_is_told_and_that_it_was_are_stored_together",
    ),
    # -- exceptions, floor, override
    one(
        "an exception that has ended meanwhile",
        "apps/data/operations/writing.py",
        "if needed and not still_stand(",
        "if False and not still_stand(",
        EXCEPTIONS_AT_ONCE
        + "what_is_ended_while_a_write_is_checked_lets_it_pass_no_more",
    ),
    one(
        "an exception that is held until the write is in",
        "apps/data/documents/exceptions.py",
        " ORDER BY x.id FOR SHARE\n",
        " ORDER BY x.id\n",
        EXCEPTIONS_AT_ONCE + "a_write_that_needs_one_holds_it_until_it_is_in",
    ),
    one(
        "one exception for the same at a time",
        "apps/data/operations/governing/exceptions.py",
        "        Agent.objects.select_for_update(no_key=True).get(id=agent.id)\n",
        "        Agent.objects.get(id=agent.id)\n",
        EXCEPTIONS_AT_ONCE + "of_those_who_make_one_for_the_same_one_does",
    ),
    one(
        "secrets that administrators alone let pass",
        "apps/data/operations/governing/exceptions.py",
        "return FALLIBLE if may_secrets else FALLIBLE - {Rule.SECRETS}",
        "return FALLIBLE",
        "tests/console/test_exceptions.py::test_only_an_administrator_allows_a_secret",
    ),
    one(
        "a project's floor",
        "apps/data/documents/enforcing.py",
        "        rules = replace(rules, policies=own.with_floor(least))\n",
        "        pass\n",
        FLOORS + "no_config_lowers_it_and_answers_say_whose_it_is",
    ),
    one(
        "a floor that was set a moment ago",
        "apps/timeline/sql/keyed_write_one_v1.sql",
        " AND p.floor = _floor\n",
        "\n",
        DATA_DOOR + "a_floor_that_is_set_holds_for_the_next_plain_write",
    ),
    one(
        "a config that another process has set",
        "apps/timeline/sql/keyed_write_one_v1.sql",
        "    IF _config <> coalesce(\n",
        "    IF _config = '-' AND _config <> coalesce(\n",
        DATA_DOOR
        + "a_config_that_another_process_has_set_holds_for_the_next_plain_write",
    ),
    one(
        "an override by administrators alone",
        "apps/data/api/base.py",
        "        require(caller, Permission.ADMIN, caller.project)\n",
        "        require(caller, Permission.WRITE, caller.project)\n",
        "tests/data/governing/test_overrides.py::test_others_and_no_reason_are_refused",
    ),
    # -- approvals
    one(
        "who asked, where two decide",
        DECIDING,
        "    if approval.votes > 1 and is_mine:\n",
        "    if False and is_mine:\n",
        APPROVALS + "who_asked_is_none_of_the_two",
    ),
    one(
        "what an approval is bound to, when it is decided",
        DECIDING,
        "    if not still_bound(approval, act.project, ground):\n",
        "    if False:\n",
        APPROVALS + "what_it_rests_on_has_changed_so_it_is_only_rejected",
    ),
    one(
        "what an approval is bound to, when it begins",
        "apps/approvals/gates.py",
        "    if not still_bound(known, asked.act.project, Ground(head)):\n",
        "    if False:\n",
        "tests/approvals/test_gates.py::"
        "test_what_it_rests_on_is_compared_again_when_it_begins",
    ),
    one(
        "the arguments that were allowed",
        "apps/approvals/gates.py",
        "not same(allowed, asked.arguments)",
        "False",
        "tests/approvals/test_gates.py::"
        "test_only_the_arguments_that_people_allowed_begin",
    ),
    one(
        "one person, one vote",
        DECIDING,
        "    if any(_is_by(one, act.actor) for one in votes):\n",
        "    if False:\n",
        APPROVALS + "two_people_are_two_people",
    ),
    one(
        "a role that was taken away",
        DECIDING,
        "        and still_may(one, approval, act)\n",
        "",
        APPROVALS + "a_role_that_was_taken_away_does_not_count",
    ),
    one(
        "a wait that is set aside",
        "apps/approvals/standing.py",
        "is_over or _is_set_aside(live, approval.number)",
        "is_over",
        APPROVALS + "a_wait_that_is_set_aside_is_void_until_it_is_brought_back",
    ),
    one(
        "a decision that is set aside",
        STANDING,
        "live, approval.number, ended.number\n",
        "live, approval.number\n",
        APPROVALS + "a_decision_that_is_set_aside_allows_nothing",
    ),
    one(
        "what was approved on what is set aside",
        STANDING,
        "is_void = ended.outcome == Status.APPROVED and _is_set_aside(",
        "is_void = False and _is_set_aside(",
        APPROVAL_RACES + "what_a_rollback_sets_aside_is_not_approved",
        ACTING,
    ),
    one(
        "the lock under which people decide",
        DECIDING,
        "    head = timeline.lock_head(act=act, session_id=approval.session_id)\n",
        "    head = head_of(act.scope, approval.session_id, now=act.now)\n",
        APPROVAL_RACES
        + "of_two_people_at_once_both_votes_are_kept_and_there_is_one_outcome",
    ),
    one(
        "the right to decide, when it is decided",
        DECIDING,
        "    require_still(act.actor, may_decide(approval, act), act.project)\n",
        "",
        APPROVAL_RACES + "whose_role_is_taken_away_decides_nothing_afterwards",
        ACTING,
    ),
    one(
        "a request that is not listed, in a verification",
        "apps/approvals/verification/undecided.py",
        "            if stand[row.id].is_pending:\n",
        "            if False:\n",
        APPROVALS_VERIFIED + "damage_is_named_as_derived_and_repaired",
    ),
    one(
        "people alone",
        "apps/approvals/authority.py",
        "    if actor.kind is not ActorKind.USER:\n",
        "    if False:\n",
        APPROVALS + "a_key_and_the_system_decide_nothing",
        "tests/approvals/test_asking.py::test_no_key_votes",
    ),
    # -- removals
    *(
        one(
            f"a version that is {why}, to a removal",
            PIN_ROWS,
            f" WHERE {where} AND",
            f" WHERE false AND {where} AND",
            PINS + "it_stays",
        )
        for why, where in (
            ("labelled", "l.session_id = %(session)s"),
            ("noted", "n.session_id = %(session)s"),
        )
    ),
    *(
        one(
            f"a version with what is {why}, to a removal",
            PIN_ROWS,
            old,
            new,
            PINS + "it_stays",
        )
        for why, old, new in (
            ("waiting", "('waiting', 'held')", "('held')"),
            ("held", "('waiting', 'held')", "('waiting')"),
            ("unfinished", "('begun', 'unknown')", "('unknown')"),
            ("owed", "NOT IN ('done', 'waived')", "NOT IN ('open', 'done', 'waived')"),
        )
    ),
    one(
        "a version that is forked, to a removal",
        KEEPING_PINS,
        '{row.number: "forked" for row in forks}',
        "{}",
        PINS + "it_stays",
    ),
    one(
        "a version that is restored, to a removal",
        KEEPING_PINS,
        'dict.fromkeys(restored, "restored")',
        "{}",
        PINS + "it_stays",
    ),
    one(
        "what apps above need of a version",
        KEEPING_PINS,
        "dict(hooks.pinned(session_id))",
        "{}",
        PINS + "what_apps_above_need_stays",
    ),
    one(
        "the newest turn, to a removal",
        KEEPING_PINS,
        '{row.number: "last turn" for row in turns}',
        "{}",
        PINS + "it_stays",
        TAKEN + "turns_go_on_from_the_last_one_whatever_went",
    ),
    one(
        "the newest rollback, to a removal",
        KEEPING_PINS,
        '{row.number: "last rollback" for row in rollbacks}',
        "{}",
        PINS + "it_stays",
    ),
    one(
        "the body that the head shows, to a removal",
        KEEPING_PINS,
        '{head.body_number: "head", head.number: "head"}',
        '{head.number: "head"}',
        PINS + "it_stays",
    ),
    one(
        "a rollback of what is still there",
        KEEPING_PINS,
        "newest_kept > restored:",
        "False:",
        PINS + "it_stays",
    ),
    one(
        "what waits to be projected, to a removal",
        KEEPING_PINS,
        "if one.number >= first}",
        "if False}",
        PINS + "what_waits_to_be_projected_stays",
    ),
    one(
        "a legal hold",
        TAKING,
        "    if hooks.legal_hold(session_id):\n",
        "    if False:\n",
        TAKEN + "under_a_legal_hold_nothing_goes",
    ),
    one(
        "bodies that build on what goes",
        KEPT_BODIES,
        "b.base_number = ANY",
        "false AND b.base_number = ANY",
        TAKEN + "pruned_versions_leave_a_tombstone_and_the_rest_as_it_was",
    ),
    one(
        "bodies that others show",
        KEPT_BODIES,
        "ON k.number IS NOT NULL",
        "ON k.number < 0",
        KEEPING_RACES + "a_removal_and_an_agent_who_writes",
        "tests/model/test_model.py::test_the_api_does_what_the_model_does",
    ),
    one(
        "an emptied version that needs no body",
        KEPT_BODIES,
        "                   AND w.salt <> '') k",
        ") k",
        TAKEN + "what_was_emptied_never_shows_anything_again",
    ),
    one(
        "a tombstone for what goes",
        TAKING,
        "    Tombstone.objects.bulk_create(stones)\n",
        "",
        TAKEN + "pruned_versions_leave_a_tombstone_and_the_rest_as_it_was",
    ),
    one(
        "what is broken stays",
        TOMBSTONES,
        "if value != one.chain:",
        "if False:",
        TAKEN + "a_broken_history_is_not_taken",
    ),
    one(
        "the lock of a removal",
        KEEPING_LOCK,
        "    lock_session(session_id)\n",
        "",
        KEEPING_RACES + "a_removal_and_a_person_who_writes",
    ),
    one(
        "the count of removals",
        TAKING,
        "session.erasures += 1",
        "session.erasures += 0",
        PINS + "each_removal_counts_for_whoever_has_something_in_mind",
    ),
    one(
        "a fork of what goes",
        CREATE,
        "            outcome := 'gone';\n            RETURN;\n",
        "",
        KEEPING_RACES + "a_removal_and_an_agent_who_writes",
    ),
    one(
        "a rollback to what goes",
        ROLLBACKS,
        "        _hold_still(head)\n        restored",
        "        restored",
        KEEPING_RACES + "a_removal_and_a_person_who_writes",
    ),
    one(
        "a body that moved while it was read",
        DECODING,
        "if all(key == place for key, place in places.items()):",
        "if True:",
        KEEPING_RACES + "who_reads_has_what_was_there_or_is_told_that_it_went",
        KEEPING_RACES + "a_removal_and_an_agent_who_writes",
    ),
    one(
        "a tombstone beside its event",
        REMOVALS,
        "if not _is_said(self._events.get(event_id), stones):",
        "if False:",
        FORGED + "a_tombstone_that_is_changed_is_found",
    ),
    one(
        "values that a checkpoint shows",
        SUPERSEDED,
        "m.number >= e.number AND m.number < n.number",
        "m.number < 0",
        EMPTIED + "the_value_is_answered_as_gone_where_it_stood_and_nowhere_else",
    ),
    one(
        "values that a restore brought back",
        SUPERSEDED,
        "WHERE r.body_number = v.number",
        "WHERE false",
        EMPTIED + "a_value_that_was_brought_back_stays_as_long_as_it_is_seen",
    ),
    one(
        "values that a young version shows",
        SUPERSEDED,
        "OR n.number > %(shown_from)s",
        "OR false",
        EMPTIED + "a_value_that_the_newest_version_replaced_goes_unless_more_are_kept",
    ),
    one(
        "configs are not emptied",
        SUPERSEDED,
        "AND v.op = 'set'",
        "AND v.op IN ('set', 'configure')",
        EMPTIED + "a_config_is_never_emptied",
    ),
    one(
        "a legal hold on values",
        "apps/timeline/operations/keeping/documents.py",
        "if hooks.legal_hold(document_id):",
        "if False:",
        EMPTIED + "a_legal_hold_keeps_old_values_until_it_ends",
    ),
    one(
        "a legal hold on what is archived",
        "apps/timeline/operations/keeping/archiving.py",
        "if hooks.legal_hold(session.id):",
        "if False:",
        ARCHIVED_VALUES + "under_a_legal_hold_nothing_is_moved",
    ),
    one(
        "what changed while its archive was written",
        "apps/timeline/operations/keeping/archiving.py",
        "if any(again.get(one.root) != one.numbers for one in chosen):",
        "if False:",
        ARCHIVED_VALUES
        + "a_value_that_comes_back_while_it_is_written_stays_and_leaves_no_object",
    ),
    one(
        "versions that a checkpoint shows",
        UNNEEDED,
        "m.number >= e.number AND m.number < n.number",
        "m.number < 0",
        DICT,
    ),
    one(
        "versions that a young version shows",
        UNNEEDED,
        "n.number IS NULL OR n.number > %(shown_from)s",
        "n.number IS NULL",
        PRUNED_DOCUMENTS + "what_a_young_version_shows_stays_though_it_is_older",
    ),
    one(
        "the newest entry of a key",
        UNNEEDED,
        "n.number IS NULL OR ",
        "",
        PRUNED_DOCUMENTS + "the_removal_of_a_key_stays_and_what_it_had_goes",
    ),
    one(
        "versions whose values a restore has brought back",
        UNNEEDED,
        "r.restored_number IS NOT NULL",
        "false",
        PRUNED_DOCUMENTS + "what_was_brought_back_goes_after_the_restore_that_did",
    ),
    one(
        "versions of a config are not pruned",
        UNNEEDED,
        "e.key = '' OR ",
        "",
        PRUNED_DOCUMENTS + "a_config_that_was_rolled_back_to_stays",
    ),
    one(
        "what stood where something was pruned",
        "apps/timeline/versions/keyed/whole.py",
        "if not found or number >= found[0].shown_from:",
        "if True:",
        PRUNED_DOCUMENTS + "what_stood_is_answered_as_gone_but_where_it_is_kept",
    ),
    one(
        "what seems never to have stood where something was pruned",
        "apps/timeline/versions/keyed/whole.py",
        "    except (KeyNotFound, CorruptBody):",
        "    except ZeroDivisionError:",
        PRUNED_DOCUMENTS + "a_checkpoint_that_is_deleted_keeps_nothing_any_more",
    ),
    one(
        "a restore of what was pruned",
        "apps/timeline/operations/documents/restoring.py",
        "    if wanted.data:",
        "    if False:",
        DOCUMENT_RACES + "what_stood_is_brought_back_before_it_is_pruned_or_not_at_all",
    ),
    one(
        "what a restore leaves beside what was pruned",
        "apps/timeline/verification/documents/gaps.py",
        "return set(there) <= found",
        "return True",
        PRUNED_DOCUMENTS + "a_restore_beside_what_was_pruned_shows_nothing_else",
    ),
    one(
        "numbers of a key that are missing",
        "apps/timeline/sql/queries/verify_ordinals.sql",
        "> (e.number - e.number_before)",
        "> 1000000 + (e.number - e.number_before)",
        PRUNED_DOCUMENTS + "a_number_that_is_skipped_beyond_what_was_pruned_is_named",
    ),
    one(
        "when a key came to be, beside what was pruned",
        "apps/timeline/sql/queries/verify_heads.sql",
        "WHEN h.created_at <= s.gap_at THEN",
        "WHEN s.gap_at IS NOT NULL THEN",
        PRUNED_DOCUMENTS + "when_a_key_came_to_be_is_held_to_what_is_left_of_it",
    ),
    one(
        "from where on a document is whole",
        "apps/timeline/removed/tombstones.py",
        "*(() if self.shown_from is None else (self.shown_from,)),",
        "",
        PRUNED_DOCUMENTS + "a_tombstone_that_is_forged_is_named",
    ),
    one(
        "a legal hold of whom memories are",
        "apps/retention/standing.py",
        "    if session.kind == Kind.KEYED:\n",
        "    if False:\n",
        EMPTIED + "a_hold_of_whom_memories_are_keeps_what_they_said",
    ),
    one(
        "the lock of a document that is emptied",
        "apps/timeline/operations/keeping/documents.py",
        "document = locked(document_id, with_documents=True)",
        "from apps.timeline.models import Session; "
        "document = Session.with_documents.filter(id=document_id).first()",
        DOCUMENT_RACES + "a_value_is_brought_back_before_it_goes_or_not_at_all",
        DOCUMENT_RACES + "of_two_that_empty_one_takes_it",
    ),
    one(
        "what a restore brings back has its value",
        "apps/timeline/operations/documents/restoring.py",
        "        _require_values(document, number)\n",
        "        pass\n",
        DOCUMENT_RACES + "a_value_is_brought_back_before_it_goes_or_not_at_all",
    ),
    one(
        "the entry of what was emptied",
        "apps/timeline/verification/documents/walk.py",
        "if found != [own] or len(left) != 1:",
        "if False:",
        EMPTIED + "an_entry_of_what_was_emptied_that_is_not_its_own_is_named",
    ),
    one(
        "a value that stands where one was emptied",
        "apps/timeline/verification/documents/walk.py",
        "chain(hollow_body(body), self._emptied(version, left))",
        "self._emptied(version, left)",
        EMPTIED + "what_was_emptied_and_holds_something_is_named",
    ),
    one(
        "the tombstones of a document",
        "apps/timeline/verification/documents/walk.py",
        "in self.removed.problems():",
        "in ():",
        EMPTIED + "a_tombstone_that_is_gone_is_named",
    ),
    one(
        "an earlier life of the same memories",
        REMOVALS,
        "return replace(found, gone=pruned, emptyings=emptied, past=past)",
        "return found",
        "tests/erasures/test_verified.py"
        "::test_memories_that_were_emptied_are_erased_and_begin_anew",
    ),
    one(
        "a document is not counted as thinned",
        TAKING,
        "if session.kind != Kind.KEYED:",
        "if True:",
        EMPTIED + "nothing_of_it_is_left_in_the_tables",
    ),
    one(
        "what is put into what was emptied",
        REMOVALS,
        "if any(one is not None for one in texts) or version.changes:",
        "if False:",
        FORGED + "an_emptied_version_that_is_changed_is_found",
    ),
    one(
        "what retention may not rewrite",
        "apps/timeline/sql/keep_the_rest_v*.sql",
        "_hollow AND to_jsonb(NEW) - _emptied = to_jsonb(OLD) - _emptied",
        "_hollow",
        COLUMNS + "nothing_is_rewritten_while_it_is_emptied",
    ),
    one(
        "a choice holds whatever they made of it",
        MERGING + "record.py",
        "*_written(three),",
        "*_written(three[:2]),",
        MERGED_IN_BOUNDS + "a_conflict_of_which_any_value_changed_is_another_one",
    ),
    one(
        "a choice that does not fit",
        MERGING + "record.py",
        "if fault is not None:",
        "if False:",
        MERGED_IN_BOUNDS + "for_a_stretch_of_a_list_items_are_chosen",
    ),
    one(
        "an item without a key that moved is guessed",
        MERGING + "unkeyed.py",
        "if self._is_moved_on():",
        "if False:",
        MERGED,
    ),
    one(
        "ours spoke first",
        MERGING + "windows.py",
        "middle = self.clash_inserted(index, here, there)",
        "middle = [*here, *there]",
        MERGES + "what_occurs_once_keep_the_laws",
    ),
    one(
        "a removal wins over a change",
        MERGING + "windows.py",
        "if index in kept.changed:",
        "if False:",
        MERGES + "what_occurs_once_keep_the_laws",
    ),
    one(
        "an order that both made",
        MERGING + "keyed.py",
        "is_agreed = self._is_order_agreed()",
        "is_agreed = True",
        MERGED,
    ),
    one(
        "a merge beyond its budget",
        MERGING + "walk.py",
        "if not self._record.pay(len(here | there), pointer):",
        "if False:",
        MERGES + "anything_keep_the_laws",
    ),
    one(
        "sides that agree as Python has it",
        MERGING + "walk.py",
        "if same(ours, theirs):",
        "if ours == theirs:",
        MERGED,
    ),
    one(
        "their change is taken and not told",
        MERGING + "walk.py",
        "self._record.tell(Side.THEIRS, place, inner.base, inner.theirs)",
        "pass",
        MERGES + "objects_alone_keep_the_laws",
    ),
    one(
        "a merge over a write that nobody saw",
        MERGE,
        "expected=expected,",
        "expected=Expected(),",
        PROMOTE + "a_head_that_has_moved_is_refused_with_the_new_preview",
    ),
    one(
        "conflicts that nobody chose",
        MERGE,
        "if combined.unchosen:",
        "if False:",
        PROMOTE + "a_conflict_without_a_choice_is_refused_with_all_of_them",
    ),
    one(
        "a merge of nothing is a version",
        MERGE,
        "if is_nothing(head, combined):",
        "if False:",
        PROMOTE + "two_promotions_bring_each_change_once",
        RANGES + "what_was_taken_back_already_is_nothing_to_take_back",
    ),
    one(
        "a revert without the reason that is required",
        MERGE,
        "if request.op in TAKING_BACK:",
        "if False:",
        RANGES + "a_project_that_requires_reasons_requires_one_of_a_revert",
    ),
    one(
        "a merge that asks no rule",
        MERGE,
        "_ask_gates(act, request, head, combined, details)\n        return",
        "return",
        "tests/approvals/test_gates.py::"
        "test_an_agents_revert_asks_each_time_where_a_rule_says_so",
    ),
    one(
        "the second parent is the base",
        MERGE,
        "number=sides.theirs.number,",
        "number=sides.base.number,",
        RANGES + "a_version_in_the_middle_is_taken_back_and_the_rest_is_kept",
    ),
    one(
        "a fork is promoted anew from where it began",
        MERGE_REQUESTS,
        "return int(row.source_number)",
        "return None",
        PROMOTE + "two_promotions_bring_each_change_once",
    ),
    one(
        "a promotion counts that was rolled back",
        MERGE_REQUESTS,
        "if head.rollback is None or any(",
        "if True or any(",
        PROMOTE + "a_promotion_that_was_rolled_back_counts_for_nothing",
    ),
    one(
        "a revert that applies once more",
        MERGE_REQUESTS,
        "return Sides(base=last, theirs=before)",
        "return Sides(base=before, theirs=last)",
        RANGES + "a_version_in_the_middle_is_taken_back_and_the_rest_is_kept",
        RANGES + "of_the_newest_versions_it_leaves_what_a_rollback_leaves",
    ),
    one(
        "a reapplication that takes back",
        MERGE_REQUESTS,
        """before, last = self._ends(scope, head, now)
        return Sides(base=before, theirs=last)""",
        """before, last = self._ends(scope, head, now)
        return Sides(base=last, theirs=before)""",
        RANGES + "what_a_rollback_set_aside_is_applied_again",
    ),
    one(
        "an early write that becomes a fork",
        STATES,
        'or seen > conflict.details["head"]:',
        "or False:",
        FORKED + "a_version_that_is_still_to_come_is_a_conflict",
    ),
    one(
        "a late write that becomes a fork unasked",
        STATES,
        "if not expected.else_fork or seen is None",
        "if seen is None",
        FORKED + "to_refuse_may_be_said",
    ),
    one(
        "the seal of a bundle",
        PACKING,
        "    _require_seal(data, path)\n",
        "",
        BUNDLES + "files.py::test_every_byte_that_is_changed_is_noticed",
    ),
    one(
        "paths that lead out of a bundle",
        PACKING,
        "    if _leads_out(name):\n",
        "    if False:\n",
        BUNDLES + "files.py::test_paths_that_lead_out_are_refused",
    ),
    one(
        "links in a bundle",
        PACKING,
        "    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):\n",
        "    if False:\n",
        BUNDLES + "files.py::test_links_and_devices_are_refused",
    ),
    one(
        "the manifest of a bundle",
        PACKING,
        "    if not is_ours or said != found:\n",
        "    if not is_ours:\n",
        BUNDLES + "files.py::test_a_member_that_is_not_as_the_manifest_says_is_refused",
    ),
    one(
        "the network of a replay",
        "clients/python/src/stepback/bundles/network.py",
        '*("socket.connect", "socket.bind",',
        '*("socket.bind",',
        BUNDLES + "replay.py::test_nobody_is_reached_in_any_way",
    ),
    one(
        "an undecided session in a share",
        "apps/surveys/sql/queries/shares.sql",
        "AND (s.verdict = 'good' OR s.is_placed)",
        "OR true",
        SHARES + "what_nobody_can_decide_is_in_no_share",
    ),
    one(
        "a version that is not placed in a share",
        "apps/surveys/sql/queries/shares.sql",
        "AND (s.verdict = 'good' OR s.is_placed)",
        "",
        SHARES + "one_that_broke_since_nobody_knows_when_is_in_no_share",
    ),
    one(
        "a release that wrote when it was wrong already",
        "apps/surveys/looking.py",
        '"last": LAST_VERSION if bad is None else bad,',
        '"last": LAST_VERSION,',
        SHARES + "a_release_counts_where_it_wrote_while_they_still_passed",
    ),
    one(
        "what was rolled back in a share",
        "apps/surveys/looking.py",
        "now=now, along=Along.ALL",
        "now=now",
        SHARES + "what_was_rolled_back_since_counts_as_it_happened",
    ),
    one(
        "a fork that began wrong in a share",
        "apps/surveys/looking.py",
        "[] if is_inherited else",
        "",
        SHARES + "a_fork_that_began_wrong_is_of_no_release",
    ),
    one(
        "a share of few sessions",
        "apps/surveys/counting.py",
        "return self.sessions < FEWEST",
        "return self.sessions < 1",
        SHARES + "of_few_sessions_no_share_is_told",
    ),
    one(
        "sessions of other agents in a share",
        "apps/surveys/sql/queries/shares.sql",
        "(%(agents)s::text[] IS NULL OR a.external_id",
        "(true OR a.external_id",
        SHARES + "what_a_limited_key_does_not_see_is_not_counted",
    ),
    one(
        "an undecided check of a fork",
        "apps/experiments/columns.py",
        "outcome=evaluate(check, state).outcome)",
        "outcome=Outcome.HOLDS if evaluate(check, state).outcome is not Outcome.FAILS"
        " else Outcome.FAILS)",
        FORK_COLUMNS + "what_nobody_can_decide_is_no_pass",
    ),
    one(
        "the state of a fork's head",
        "apps/experiments/columns.py",
        "_checked(text, check, states.get(id))",
        "_checked(text, check, next(iter(states.values()), None))",
        FORK_COLUMNS + "columns_are_of_the_heads_as_they_are_now",
    ),
    one(
        "forks of another version",
        "apps/experiments/operations/making.py",
        "if (fork.origin_session_id, fork.origin_number) != (",
        "if (first.origin_session_id, first.origin_number) != (",
        FORK_COLUMNS + "only_forks_of_one_version_are_compared",
    ),
    one(
        "the lock of numbers of incidents",
        "apps/incidents/operations/opening.py",
        "    Project.objects.select_for_update(no_key=True).get(id=act.project_id)\n",
        "",
        NUMBERS + "opened_at_once_they_never_have_the_same_number",
    ),
    one(
        "releases from before an incident was resolved",
        "apps/incidents/watching.py",
        "    since = theirs.exclude(name__in=older)\n",
        "    since = theirs\n",
        NUMBERS + "what_fails_in_an_older_release_opens_nothing",
    ),
    one(
        "copies of what a bundle masks",
        "apps/timeline/api/bundles/drawing.py",
        "[(self.copies, Style.HIDE)] if self.copies else []",
        "[]",
        "tests/timeline/test_bundles.py::test_what_is_masked_is_nowhere_in_it",
    ),
    one(
        "the verdict of a guard that refuses",
        "apps/guards/live/judging.py",
        "        if refused_by:\n",
        "        if False:\n",
        GUARDS + "live.py::test_a_guard_that_refuses_stores_nothing",
    ),
    one(
        "a refusal that is sent again",
        "apps/guards/live/refusing.py",
        "    except IntegrityError:\n        return False\n",
        "    except IntegrityError:\n        return True\n",
        GUARDS + "refusals.py"
        "::test_repeated_under_its_key_it_is_refused_again_and_counts_once",
    ),
    one(
        "turns of another release",
        "apps/metrics/spending/work.py",
        "        if release is None or row.release == release:\n",
        "        if True:\n",
        "tests/usage/test_releases.py::test_a_turn_is_laid_to_what_it_says_else_to"
        "_its_version_else_to_the_head",
    ),
    one(
        "what was wrong before a newer release",
        "apps/incidents/watching.py",
        "    return found.bad.number >= first\n",
        "    return True\n",
        NUMBERS + "one_that_was_wrong_before_is_no_news_of_a_newer_release",
    ),
    one(
        "a plain read that masks nothing",
        "apps/timeline/api/door/reads.py",
        "        return drawn(found.masks, told, SHOWN_AT)\n",
        "        return json.dumps(told)\n",
        "tests/timeline/door/test_masked_reads.py"
        "::test_a_mask_counts_from_the_next_read_on",
    ),
    one(
        "a masked state that is said to be the newest",
        "apps/timeline/api/door/reads.py",
        " == tag and found.masks is None\n",
        " == tag\n",
        "tests/timeline/door/test_masked_reads.py"
        "::test_what_a_masked_key_has_kept_is_told_again",
    ),
    one(
        "numbers as long as a card's beside others",
        "apps/timeline/masking/cards.py",
        '_LONG_RUN = b"0" * 13\n',
        '_LONG_RUN = b"0" * 14\n',
        "tests/timeline/masks/test_masking.py"
        "::test_cards_are_found_where_a_look_at_each_group_finds_them",
    ),
    one(
        "lines from a version that are another's",
        "apps/timeline/versions/lineage.py",
        "    return [lineage(one, rollbacks) for one in numbers]\n",
        "    return [lineage(max(numbers), rollbacks) for one in numbers]\n",
        "tests/timeline/test_lineage.py"
        "::test_lines_from_several_versions_are_those_from_each",
    ),
    one(
        "what nobody can decide",
        "apps/guards/detecting/detectors.py",
        "        return UNDECIDED\n    return _decided(verdict.outcome",
        "        return PASSED\n    return _decided(verdict.outcome",
        GUARDS + "live.py::test_what_nobody_can_decide_is_kept_and_is_no_pass",
    ),
    one(
        "how often a guard steps back",
        "apps/guards/live/storing.py",
        "steps_within(session_id, act) < MOST_STEPS",
        "steps_within(session_id, act) <= MOST_STEPS",
        GUARDS + "live.py::test_a_guard_that_steps_back_stops_itself_at_the_fourth",
    ),
    one(
        "the trial before a guard does more",
        "apps/guards/operations/guarding.py",
        "if change.mode is not Mode.OBSERVE and not is_tried:",
        "if False:",
        GUARDS + "trying.py::test_more_than_observing_needs_a_trial",
    ),
    one(
        "the lock of a guard that looks back",
        "apps/timeline/ledger/judging/attempts.py",
        "needs_lock = judging is not None and judging.needs_lock",
        "needs_lock = False",
        GUARDS + "at_once.py::test_of_turns_at_once_no_loop_slips_through",
    ),
    one(
        "a trial that two sweeps go on with",
        "apps/guards/trying/running.py",
        "filter(id=trial.id, after_id=trial.after_id)\n    if not mine.update",
        "filter(id=trial.id)\n    if not mine.update",
        GUARDS + "trying.py::test_a_killed_trial_counts_nothing_twice",
    ),
    one(
        "an objective that asks for a person, carried on",
        "apps/timeline/ledger/encoding/rows.py",
        "objective = None if asks else known",
        "objective = known",
        WORKING + "an_objective_that_asks_for_a_person_is_answered_by_the_next_write",
    ),
    one(
        "tasks that the head has no more",
        "apps/timeline/ledger/facts/tasked.py",
        "dict.fromkeys(was - now) | ",
        "",
        WORKING + "it_is_what_the_head_has",
    ),
    one(
        "tasks that no search finds, untold",
        "apps/timeline/search/sessions/working.py",
        "if self.cut.among(self.cut.below(None, 20)):",
        "if False:",
        WORKING + "of_a_long_list_the_first_are_found_and_it_says_so",
    ),
    one(
        "currencies of what was used",
        "apps/timeline/search/sessions/working.py",
        "if self.within.currency in (None, unit):",
        "if True:",
        WORKING + "sessions_are_found_by_what_they_used",
    ),
    one(
        "whose code made a state that is shown again",
        "apps/timeline/queries/migrating/moving.py",
        "    last = version.body_number\n",
        "    last = version.number\n",
        "tests/schemas/test_moving.py::"
        "test_a_rollback_is_of_the_code_that_made_the_state_it_shows",
    ),
    one(
        "the lock of a budget before its grant is chained",
        "apps/approvals/operations/deciding.py",
        "    hold(decided)\n",
        "",
        "tests/usage/test_at_once.py::test_a_grant_waits_for_who_has_the_budget_and_"
        "holds_up_nobody",
    ),
    one(
        "versions of a fork that look right",
        "apps/experiments/sql/queries/used.sql",
        " AND v.flags <> '[]'",
        "",
        FORK_COLUMNS + "forks_stand_beside_each_other_with_what_became_of_them",
    ),
    one(
        "the schema that a migrated state passes",
        "apps/schemas/migrating.py",
        "        if faults:\n",
        "        if False:\n",
        SCHEMAS
        + "migrating.py::test_a_state_that_does_not_pass_its_schema_is_not_stored",
    ),
    one(
        "migrations that lead in a circle",
        "apps/schemas/graph.py",
        "if source == target or way(edges, target, source) is not None:",
        "if source == target:",
        SCHEMAS + "declaring.py::test_migrations_lead_one_way_and_never_back",
    ),
    one(
        "two ways from one schema to another",
        "apps/schemas/graph.py",
        "        if twice:\n",
        "        if False:\n",
        SCHEMAS + "declaring.py::test_migrations_lead_one_way_and_never_back",
    ),
    one(
        "writes of an older schema than the head's",
        "apps/schemas/written.py",
        "if head is not None and is_older(",
        "if False and is_older(",
        SCHEMAS
        + "strict.py::test_an_old_worker_is_stopped_once_the_head_is_of_a_newer_schema",
    ),
    one(
        "schemas that a strict agent has not declared",
        "apps/schemas/written.py",
        "if written is None or written not in declared.versions:",
        "if False:",
        SCHEMAS + "strict.py::test_undeclared_schemas_are_refused",
    ),
    one(
        "the newest schema says whether it is strict",
        "apps/schemas/written.py",
        "bool(declared and declared[-1][1])",
        "any(strict for _, strict in declared)",
        SCHEMAS + "strict.py::test_a_schema_that_is_not_strict_ends_it",
    ),
    one(
        "that a migration was used",
        "apps/timeline/operations/migrating/appending.py",
        "        if receipt.made:\n            schemas",
        "        if False:\n            schemas",
        SCHEMAS
        + "migrating.py::test_it_is_stored_as_a_version_that_says_what_it_came_from",
    ),
    one(
        "which schema a state was migrated from",
        "apps/timeline/operations/migrating/appending.py",
        "reason_code=found.source,",
        "reason_code=None,",
        SCHEMAS
        + "migrating.py::test_it_is_stored_as_a_version_that_says_what_it_came_from",
    ),
    one(
        "values of a migration that no two places share",
        "apps/schemas/steps/applying.py",
        "return deepcopy(value)",
        "return value",
        SCHEMAS + "steps.py::test_each_place_has_a_value_of_its_own",
    ),
    one(
        "how large a migration makes a state",
        "apps/schemas/steps/applying.py",
        "if self._room < 0:",
        "if False:",
        SCHEMAS + "steps.py::test_a_small_migration_makes_no_huge_state",
    ),
    one(
        "the commitment to a state that is read in bulk",
        "apps/timeline/versions/decoding/streams.py",
        "                bodies.verify(raw, row.salt, wanted[row.number])\n",
        "",
        "tests/timeline/test_streams.py::"
        "test_another_body_than_was_committed_to_is_not_taken",
    ),
)

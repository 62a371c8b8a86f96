"""Signed notes over the heads of chains, in files beside the database.

`signed` is the format (C2SP signed-note with Ed25519), `keys` where keys come from,
`roots` what our notes say, `folder` their files, `index` where a chain was signed last,
`reading` what one chain is held against, `auditing` the check of all notes.
docs/notes.md has the exact bytes.
"""

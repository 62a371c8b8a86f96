"""`…/promote`, `…/revert`, `…/reapply`, `…/restore`, and the preview of each."""

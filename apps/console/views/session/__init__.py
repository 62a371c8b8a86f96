"""Views of one session: its page and tabs, rollbacks, forks, holds, comparison."""

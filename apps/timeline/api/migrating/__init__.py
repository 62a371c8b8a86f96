"""States over REST as another schema of their agent has them: shown, and stored."""

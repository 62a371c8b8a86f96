"""The files of versions over REST."""

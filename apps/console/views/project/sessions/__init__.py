"""The sessions of a project: searched, listed, handed out."""

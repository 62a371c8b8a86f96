"""The API of sessions: parse, call one operation or question, render."""

"""Tables that follow from history: what is open, and what search reads."""

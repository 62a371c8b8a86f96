"""The tables of effects: what agents did outside, which no rollback takes back."""

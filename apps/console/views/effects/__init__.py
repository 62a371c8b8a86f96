"""Pages of what agents did outside, and what people say of it."""

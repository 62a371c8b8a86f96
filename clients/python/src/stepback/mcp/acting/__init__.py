"""Tools for acting safely: effects, and what people are asked to allow."""

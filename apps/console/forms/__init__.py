"""Validate query strings and what people type, a module for each part."""

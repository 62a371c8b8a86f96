"""Projections made anew from what is stored."""

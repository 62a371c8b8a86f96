"""Pages of shared documents."""

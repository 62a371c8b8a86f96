"""Pages of experiments: forks of one version as columns, and acts on them."""

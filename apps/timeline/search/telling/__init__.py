"""Why sessions and versions were found: where, with a quote, and by which deed."""

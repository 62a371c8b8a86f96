"""An agent's audit: finding events of its stream, verifying and exporting them."""

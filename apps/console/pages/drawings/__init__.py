"""What is drawn of a session: geometry alone, which templates draw as SVG."""

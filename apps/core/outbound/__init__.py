"""HTTP to user-supplied URLs with SSRF protection, and links to the console."""

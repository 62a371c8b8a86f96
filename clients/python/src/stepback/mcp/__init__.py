"""The MCP server `stepback-mcp`: `pip install stepback[mcp]`."""

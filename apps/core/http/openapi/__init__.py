"""The OpenAPI document and the schemas that views describe their errors with."""

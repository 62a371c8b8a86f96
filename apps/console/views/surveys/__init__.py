"""Pages of surveys: in which sessions a check broke, by release."""

"""The command line `stepback`."""

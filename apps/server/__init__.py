"""The served process: granian, the front of each worker, the pools behind it."""

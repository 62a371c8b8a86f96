"""Every order in which the statements of two or three writers can reach the database.

In the manner of PostgreSQL's isolation tester: `stage` stops real writers, each with
a connection of its own, before every statement that decides; `schedules` runs them in
all orders; `actors` are the writers; `serial` says what they must be told; `laws` is
what must hold of the rows after each order.
"""

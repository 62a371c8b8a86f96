"""What can go wrong with a store of objects."""


class AddressRefused(Exception):
    """What was said as an address of a store is none."""


class ObjectTaken(Exception):
    """There is an object of this name already; nothing was written."""


class ObjectsAway(Exception):
    """The store did not answer, or not in time: nothing is known of the object."""


class StoreFull(ObjectsAway):
    """The store has no space left: nothing was written."""

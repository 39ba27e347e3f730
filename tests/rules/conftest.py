"""A database server that the tests of SQL share."""

from postgres_server import postgres

__all__ = ["postgres"]

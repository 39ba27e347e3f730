"""Systems compared on the same cases."""

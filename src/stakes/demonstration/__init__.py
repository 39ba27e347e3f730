"""Bundled examples, made by a seeded simulator."""

__all__: list[str] = []

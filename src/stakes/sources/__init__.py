"""Bytes and frames become tables: files of every kind, near or far."""

"""Result -> matplotlib Axes; no arithmetic."""

__all__: list[str] = []

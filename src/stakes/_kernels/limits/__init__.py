"""The ends of intervals, and tests of changed shares."""

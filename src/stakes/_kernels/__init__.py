"""Arrays in, arrays out: no checks, no classes, no optional imports at the top."""

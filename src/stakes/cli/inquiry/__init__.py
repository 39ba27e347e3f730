"""From the options of a command to what was asked, and to findings."""

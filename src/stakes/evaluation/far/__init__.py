"""Models that an engine counted: what bins, sums and samples tell in place of the rows."""

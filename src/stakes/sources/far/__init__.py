"""Files that an engine reads in place: DuckDB, Polars or Spark."""

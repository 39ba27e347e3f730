"""Files that stay where they are: opened by DuckDB, Polars or Spark."""

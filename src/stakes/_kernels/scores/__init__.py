"""Arrays of scores: label runs, ROC, pooling, rank correlation."""

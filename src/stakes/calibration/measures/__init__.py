"""What calibration is worth, and how far posteriors are from meaning what they say."""

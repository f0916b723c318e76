"""Numbers: differences and their exact sums, resampling, intervals, and correlations of rankings."""

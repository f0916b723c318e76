"""What tests compute with: differences cleared of rounding, exact sums, the studentised range."""

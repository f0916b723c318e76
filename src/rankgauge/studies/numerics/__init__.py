"""What studies compute with: scores as matrices, rank correlation, samples of topics."""

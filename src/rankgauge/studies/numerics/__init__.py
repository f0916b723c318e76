"""The computations of studies: scores as matrices, rank correlation, samples of topics and judgments."""

"""Evaluation where the data are: on GPUs, and on Apache Spark."""

"""Statistical tests: one module per family, one decorated function per test."""

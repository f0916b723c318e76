"""The figures: one module per figure, named like it."""

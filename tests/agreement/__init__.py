"""Agreement with other tools' values, digit by digit, on real runs."""

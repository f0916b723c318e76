"""Codes of the problems that the cores report; text.hpp has the same list."""

# What is wrong with a line. A problem is (code, line number, what was found).
COLUMNS = 1  # not the right number of columns; found: the line
BAD_SCORE = 2  # a score that is not a number; found: the field
BAD_GRADE = 3  # a grade that is not a finite number; found: the field
NOT_A_NUMBER = 4  # a score or grade that is NaN; found: the field
BAD_RANK = 5  # a rank that is not an integer below LARGE_RANK, where the rules need ranks; found: the field
DUPLICATE = 6  # a document more than once in a topic; found: topic, NUL, document
BINARY = 7  # a NUL byte; found: the beginning of the line
LONG_LINE = 8  # no end of line within MAX_LINE bytes; found: its beginning
REAPPEARED = 9  # another topic came in between: not an error, but the rows must be collected

MAX_LINE = 1 << 20
FOUND_BYTES = 200  # how much of what was found is quoted

NO_RANK = -(1 << 63)  # a row without a known rank
LARGE_RANK = 1 << 53  # ranks are below it, and above its negative: larger ones are not exact as doubles
ENDLESS = (1 << 63) - 1  # a rank below all others

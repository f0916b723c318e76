"""A campaign small enough to be computed by hand."""

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}, "3": {"x": 0}}
RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 2.0, "a": 1.0}}
QRELS_TEXT = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n3 0 x 0\n"
RUN_TEXT = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 c 3 1 t\n2 Q0 b 1 2 t\n2 Q0 a 2 1 t\n"
MEAN = {"AP": (5 / 6 + 1 / 2) / 3, "RR": 1.5 / 3}

"""How findings print their tables."""

import pytest

from rankgauge.campaigns.findings import Findings
from rankgauge.model.output.tables import Shown, Table


@pytest.mark.parametrize(
    ("rows", "keys"),
    [
        ([("AP", "a", 1, 0.5), ("RR", "a", 1, 0.5)], 1),
        ([("AP", "a", 1, 0.5), ("AP", "b", 1, 0.5)], 2),
        ([("AP", "a", 1, 0.5), ("AP", "a", 2, 0.5)], 3),
        ([("AP", "a", 1, 0.5), ("AP", "a", 1, 0.6)], 1),  # a value names no row
        ([("AP", 0.1, 1, 0.5), ("AP", 0.2, 1, 0.6)], 1),
        ([("AP", Shown(0.1), 1, 0.5), ("AP", Shown(0.2), 1, 0.6)], 2),  # but a setting does
        ([(Shown(0.1), "AP", 1, 0.5), (Shown(0.1), "RR", 1, 0.6)], 2),
        ([], 1),
    ],
)
def test_keys_are_the_columns_that_tell_rows_apart(rows, keys):
    table = Table(("measure", "run", "rank", "value"), iter(rows))
    assert Findings(tables={"found": table}).table("found").keys == keys


def test_every_part_of_a_wide_table_has_the_columns_that_name_its_rows():
    names = [f"column {n}" for n in range(12)]
    rows = [("AP", run, *(n / 10 for n in range(12))) for run in ("first", "second")] * 11
    rows = [(*row[:1], f"{row[1]} {place}", *row[2:]) for place, row in enumerate(rows)]
    lines = repr(Findings(tables={"found": Table(("measure", "run", *names), rows)})).splitlines()
    assert max(map(len, lines)) <= 80
    headers = [line for line in lines if "column" in line]
    assert len(headers) > 1
    assert all(line.split()[:2] == ["measure", "run"] for line in headers)
    assert sum("AP       second 19" in line for line in lines) == len(headers)  # 20 of 22 rows are shown

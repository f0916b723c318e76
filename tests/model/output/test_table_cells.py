import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.model.output.table_cells import GAP, MAX_ACROSS, fitted, plain_widths
from rankgauge.model.output.tables import NumberText, Table, render, width


def table(rows, columns, across="measure", name="run{}", header="P@{}"):
    cells = [(name.format(i), *((i + 1) / (j + 2) for j in range(columns))) for i in range(rows)]
    return Table(("run", *(header.format(j) for j in range(columns))), cells, across=across)


def blocks(shown, room=80):
    return fitted(shown, room, plain_widths())


def widest(shown):
    return max(map(width, render(shown).splitlines()))


def test_a_table_that_fits_is_left_alone():
    whole = table(3, 5)
    assert [(part.headers, list(part.rows)) for part in blocks(whole)] == [(whole.headers, list(whole.rows))]


@pytest.mark.parametrize("columns", [MAX_ACROSS, MAX_ACROSS + 1])
def test_the_measures_of_a_single_run_are_rows_if_there_are_many(columns):
    (shown,) = blocks(table(1, columns), room=1000)
    assert shown.headers == (["measure", "run0"] if columns > MAX_ACROSS else table(1, columns).headers)


@pytest.mark.parametrize(
    ("shown", "corner", "is_one"),
    [
        (table(2, 29), "measure", True),
        (table(63, 29), "run", False),  # changing places does not help
        (table(1, 29, across=""), "run", False),  # columns of different kinds never become rows
    ],
)
def test_rows_and_columns_change_places_where_that_makes_fewer_blocks(shown, corner, is_one):
    parts = blocks(shown)
    assert ({part.headers[0] for part in parts}, len(parts) == 1) == ({corner}, is_one)


def test_a_transposed_table_has_its_marks_at_the_same_values():
    shown = Table(
        ("run", "A", "B"),
        [("x", 1.0, 2.0), ("y", 3.0, 4.0)],
        {(1, 1)},
        {(0, 2)},
        {(0, 1): "a"},
        across="measure",
    )
    turned = shown.transposed()
    assert render(turned, "csv").split() == ["measure,x,y", "A,1.0,3.0", "B,2.0,4.0"]
    assert (turned.best, turned.second, turned.superscripts) == ({(0, 2)}, {(1, 1)}, {(0, 1): "a"})
    assert render(turned.transposed(), "csv") == render(shown, "csv")


def test_only_the_last_block_has_the_legend():
    parts = blocks(table(63, 29)._replace(caption="Means.", note="Bold is best."))
    assert [part.legend for part in parts] == [""] * (len(parts) - 1) + ["Means. Bold is best."]


@given(
    rows=st.integers(1, 4),
    columns=st.integers(1, 20),
    keys=st.integers(1, 2),
    room=st.integers(10, 120),
    across=st.sampled_from(["", "measure"]),
    data=st.data(),
)
def test_every_value_is_shown_once_with_its_names_and_marks_and_blocks_fit(
    rows, columns, keys, room, across, data
):
    def text(i, j):
        return f"{'ab'[j]}{i}" if j < keys else NumberText(f"{i}.{j}", i + j / 100)

    best = data.draw(st.sets(st.tuples(st.integers(0, rows - 1), st.integers(keys, keys + columns - 1))))
    headers = [f"h{j}" for j in range(keys + columns)]
    shown = Table(
        headers,
        [[text(i, j) for j in range(keys + columns)] for i in range(rows)],
        best,
        keys=keys,
        across=across,
    )
    parts = blocks(shown, room)
    turned = parts[0].headers[0] == "measure"
    found, marked = [], set()
    for part in parts:
        lead = 1 if turned else keys
        assert widest(part) <= room or len(part.headers) == lead + 1
        for i, row in enumerate(part.rows):
            assert len(row) == len(part.headers)
            for j, cell in enumerate(row[lead:], lead):
                names = (part.headers[j], row[0]) if turned else (row[0], part.headers[j])
                found.append((*names, str(cell)))
                if (i, j) in part.best:
                    marked.add(str(cell))
    expected = [(f"a{i}", headers[j], text(i, j)) for i in range(rows) for j in range(keys, keys + columns)]
    assert sorted(found) == sorted((name, header, str(cell)) for name, header, cell in expected)
    assert marked == {str(text(i, j)) for i, j in best}
    assert GAP == 2  # as in aligned columns

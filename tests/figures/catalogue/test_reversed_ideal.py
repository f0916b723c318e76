"""The worst order of relevant documents, by rank."""

from figures.samples import drawn, rows, studied, table


def test_there_is_a_line_for_each_alpha_with_the_values_of_the_study():
    points = {(row["series"], row["x"]): row["y"] for row in rows(drawn("reversed-ideal"))}
    ranks = table(studied("reversed-ideal"), "ranks")
    assert points == {
        (name.replace("alpha", "α ="), row["rank"]): value
        for row in ranks
        for name, value in row.items()
        if name != "rank"
    }

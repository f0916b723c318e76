"""The page of trials keeps a table per release, and is made by the script."""

import pages
import trials


def test_a_release_replaces_its_own_table_alone():
    one = trials.written("", "1.0", [("files", 1200, 0)])
    two = trials.written(one, "1.1", [("files", 5, 1)])
    assert two.index("## 1.1") < two.index("| files | 5 | 1 |") < two.index("## 1.0") < two.index("1,200")
    assert trials.written(two, "1.1", [("files", 5, 1)]) == two


def test_the_page_is_the_scripts():
    page = pages.read("docs/reference/trials.md")
    version = page.split("## ")[1].partition("\n")[0]
    lines = [line for line in page.split("\n## ")[1].splitlines() if line.startswith("| ")][2:]
    cells = [line.strip("| ").split(" | ") for line in lines]
    rows = [(what, *(int(each.replace(",", "")) for each in numbers)) for what, *numbers in cells]
    assert trials.written(page, version, rows) == page
    assert len(rows) > 9

"""The command `rankgauge items`."""

LISTS = "user,item,score\nanna,i1,3\nanna,i2,2\nben,i1,3\nben,i3,2\n"
ITEMS = "item_id,genre\ni1,drama|war\ni2,war\ni3,comedy\ni4,drama\n"
TRAIN = "user,item,rating\nanna,i3,5\nben,i3,4\nben,i4,1\n"


def test_lists_are_evaluated_with_a_catalogue_and_interactions(working_folder, invoke):
    working_folder({"lists.csv": LISTS, "items.csv": ITEMS, "train.csv": TRAIN})
    known = ("--items", "items.csv", "--interactions", "train.csv")
    measures = "Coverage@2 MIUF@1 ILD(by=genre)@2"
    printed = invoke("items", "lists.csv", *known, "-m", measures, "--quiet")
    assert printed.out.splitlines() == [
        "run\tCoverage@2\tMIUF@1\tILD(by=genre)@2",
        "lists\t0.7500\t1.0000\t0.7500",
    ]
    gate = ("--fail-if", "Coverage@2 below 0.8")
    assert invoke("items", "lists.csv", *known, "-m", measures, *gate, "--quiet", code=1)


def test_what_is_missing_is_named_with_its_option(working_folder, invoke):
    working_folder({"lists.csv": LISTS})
    printed = invoke("items", "lists.csv", "-m", "Coverage@2", code=2)
    assert "Coverage@2 needs a table of items; pass --items" in printed.err

"""`rankgauge reproduce` and the files that are already in its folder."""

import shutil

RUN = "1 Q0 b 1 2.0 poor\n1 Q0 a 2 1.0 poor\n2 Q0 a 1 1.0 poor\n"


def test_the_folder_of_an_experiment_keeps_the_files_it_is_made_from(working_folder, refused):
    files = working_folder({"qrels.txt": "1 0 a 1\n1 0 b 0\n2 0 a 1\n", "a.run": RUN, "b.run": RUN})
    (files / "folder" / "tables").mkdir(parents=True)
    shutil.copy("qrels.txt", "folder/tables/qrels.csv")
    (files / "folder" / "index.html").symlink_to(files / "a.run")
    for collection, file in [
        ("A=folder/tables/qrels.csv,a.run,b.run", "folder/tables/qrels.csv"),
        ("A=qrels.txt,a.run,b.run", "a.run"),
    ]:
        err = refused("reproduce", "twist", "--collection", collection, "-o", "folder")
        assert f"is the same file as the input {file}" in err
        assert "write to another folder" in err
    assert (files / "a.run").read_text() == RUN

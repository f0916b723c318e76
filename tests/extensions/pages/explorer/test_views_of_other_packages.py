"""A package that somebody else installed adds a view, with a script and styles of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import browsing
import rankgauge
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.visiting import one, opened, texts, visit

PYTHON = """
from rankgauge.extensions.pages.explorer.views import View


def greetings(session, parameters):
    return {"greetings": [f"Hello {run}, {parameters.text('word')}" for run in session.runs]}


def held(session):
    return [("greetings", {"word": "again"})]


TOY = View("toy", {"greetings": greetings}, held=held, package="toy_view")
"""
# `open` and `main` are names of the page's own scripts, and of this one.
SCRIPT = """
import { el } from "./dom.js";
import { ask } from "./source.js";
import { VIEWS } from "./views.js";
import { open } from "./toy-texts.js";

const main = "ul.toy";

VIEWS.set("toy", {
  title: "Toy",
  styles: "about",
  async show(place) {
    const { greetings } = await ask("greetings", { word: "again" });
    place.replaceChildren(el(main, greetings.map((each) => el("li", open(each)))));
  },
});
"""
OTHER = """
export function open(text) {
  return `${text}!`;
}
"""
STYLE = ':where(:root[data-view~="toy"]) {\n  .toy { color: rgb(1, 2, 3); }\n}\n'
SAVE = """
import json, sys, rankgauge
qrels, runs = json.load(sys.stdin)
rankgauge.explore(qrels, runs, "AP").save("page.html")
"""


def test_a_view_of_another_package_is_part_of_the_page(browser, tmp_path):
    files = {
        "toy_view/__init__.py": PYTHON,
        "toy_view/assets/toy.js": SCRIPT,
        "toy_view/assets/toy-texts.js": OTHER,
        "toy_view/assets/toy.css": STYLE,
        "toy_view-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: toy_view\nVersion: 1.0\n",
        "toy_view-1.0.dist-info/entry_points.txt": "[rankgauge.views]\ntoy = toy_view:TOY\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    paths = os.pathsep.join([str(tmp_path), str(Path(rankgauge.__file__).parents[1])])
    subprocess.run(
        [sys.executable, "-c", SAVE],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        input=json.dumps([QRELS, RUNS]),
        text=True,
        check=True,
        timeout=120,
    )
    with opened(browser, (tmp_path / "page.html").as_uri()):
        assert texts(browser, "header nav a")[-2:] == ["Toy", "About"]
        visit(browser, "/toy")
        assert texts(browser, ".toy li") == [f"Hello {run}, again!" for run in RUNS]
        assert one(browser, "ul.toy").value_of_css_property("color") == "rgba(1, 2, 3, 1)"
        visit(browser, "/overview")
        assert browsing.find(browser, "td.mean")

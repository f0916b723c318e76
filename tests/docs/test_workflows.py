"""Workflows, issue forms and hooks: they can be read, and what they call exists."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import release

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
# Made by a step, not by the project.
MADE = re.compile(r"dist\b|build/|wheels\b|artifacts\b|notes\.md$|\.pyodide\b|site\b")


def load(path):
    return yaml.safe_load(path.read_text("utf-8"))


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job.get("steps", [])]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_commands_of_workflows_name_targets_and_files_that_exist(path):
    targets = re.findall("^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for step in steps(load(path)):
        command = step.get("run", "")
        assert set(re.findall(r"\bmake ([a-z-]+)", command)) <= set(targets)
        for word in shlex.split(command):
            if re.fullmatch(r"[\w./-]*/[\w./-]+|[\w-]+\.(py|txt|md)", word) and not MADE.match(word):
                assert (ROOT / word).exists(), word


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_ask_for_few_rights_and_use_actions_by_version(path):
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert "${{" not in workflow["concurrency"]["group"] or "github.ref" in workflow["concurrency"]["group"]
    for job in workflow["jobs"].values():
        assert "timeout-minutes" in job or (ROOT / job["uses"]).exists()
    for step in steps(workflow):
        assert "run" in step or re.fullmatch(r"[\w/-]+@v[\d.]+", step["uses"])
        assert "${{" not in step.get("run", "")  # titles and branch names are not code


@pytest.mark.skipif(not shutil.which("actionlint"), reason="there is no actionlint on this machine")
def test_actionlint_has_no_findings():
    done = subprocess.run(["actionlint"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_ask_something(path):
    form = load(path)
    assert {"name", "description", "body"} <= set(form)
    ids = [field["id"] for field in form["body"] if field["type"] != "markdown"]
    assert ids
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("hook", load(ROOT / ".pre-commit-hooks.yaml"), ids=lambda hook: hook["id"])
def test_hooks_are_commands(hook, invoke):
    _, command = hook["entry"].split()
    assert f"rankgauge {command}" in invoke(command, "--help").out


@pytest.mark.parametrize(
    ("name", "is_checked"), [("runs/bm25.txt", True), ("data/qrels.dl21.txt", True), ("README.md", False)]
)
def test_the_hook_for_files_finds_runs_and_judgments(name, is_checked):
    pattern = load(ROOT / ".pre-commit-hooks.yaml")[0]["files"]
    assert bool(re.search(pattern, name)) is is_checked


@pytest.fixture
def project(tmp_path):
    """A function that writes a project of version 1.2.0 and returns its folder."""

    def write(urls, author, heading):
        (tmp_path / "src" / "rankgauge").mkdir(parents=True)
        (tmp_path / "src/rankgauge/_version.py").write_text('VERSION = "1.2.0"\n')
        (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n## {heading}\n\n## 1.1.0\n")
        lines = [f'[project]\nauthors = [{{ name = "A", email = "{author}" }}]\n[project.urls]']
        lines += [f'{name} = "{address}"' for name, address in urls.items()]
        (tmp_path / "pyproject.toml").write_text("\n".join(lines))
        return tmp_path

    return write


def test_a_release_needs_addresses_a_heading_and_its_tag(project):
    root = project({"Repository": ""}, "", "Unreleased")
    *urls, author, heading, tag = release.lacking(root, "v1.1.0")
    assert [problem.split()[-1] for problem in urls] == list(release.URLS)
    assert "email" in author
    assert "'Unreleased', not the version 1.2.0" in heading
    assert tag.endswith("use v1.2.0")


def test_a_complete_release_lacks_nothing(project):
    root = project(dict.fromkeys(release.URLS, "here"), "there", "1.2.0 (1 May)")
    assert release.lacking(root, "v1.2.0") == []

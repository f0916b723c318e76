"""List what a release still lacks; exit with 1 if there is anything.

python tests/release.py [TAG]
"""

import re
import sys
from pathlib import Path

try:
    import tomllib
except ImportError:  # before Python 3.11
    from pip._vendor import tomli as tomllib

ROOT = Path(__file__).parents[1]
URLS = ("Repository", "Documentation", "Issues", "Changelog", "Security")


def lacking(root: Path, tag: str | None = None) -> list[str]:
    """Problems of a release of the project in this folder, under this tag."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    version = re.search('VERSION = "(.+)"', (root / "src/rankgauge/_version.py").read_text("utf-8"))[1]
    newest = re.search("^## (.+)", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[1]
    problems = [
        f"pyproject.toml: [project.urls] has no {name}" for name in URLS if not project["urls"].get(name)
    ]
    if not all(author.get("email") for author in project["authors"]):
        problems.append("pyproject.toml: authors have no email, the contact for security and conduct")
    if newest.split()[0] != version:
        problems.append(f"CHANGELOG.md: the newest heading is '{newest}', not the version {version}")
    if tag and tag != f"v{version}":
        problems.append(f"the tag is {tag}, and src/rankgauge/_version.py has {version}: use v{version}")
    return problems


if __name__ == "__main__":
    found = lacking(ROOT, *sys.argv[1:])
    print("\n".join(found) or "nothing is missing")
    sys.exit(bool(found))

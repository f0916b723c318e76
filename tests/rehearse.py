"""Rehearse a release with a package index on this machine: upload what `make dist` built, and install it.

    python tests/rehearse.py [FOLDER]

The wheel is installed and tested on every Python of this machine that its tag promises; where there is none
for it, pip takes the wheel without the core. The environments are in build/rehearsal.
"""

import os
import shlex
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from distributions import ROOT, environment, tomllib

WORK = ROOT / "build" / "rehearsal"
ADDRESS = "http://127.0.0.1:8732"
VERSIONS = [f"3.{minor}" for minor in range(10, 15)]
# pip, uv and pipx take the package from there, and what it requires from where they always do.
INDEX = {"PIP_EXTRA_INDEX_URL": f"{os.environ.get('PIP_EXTRA_INDEX_URL', '')} {ADDRESS}/simple".strip()}
INDEX |= {
    "UV_INDEX": f"{ADDRESS}/simple",
    "UV_CACHE_DIR": str(WORK / "cache"),
    "UV_PYTHON_DOWNLOADS": "never",
}
INDEX |= {"PIPX_HOME": str(WORK / "pipx"), "PIP_NO_CACHE_DIR": "1"}


def run(*command: object, **options: object) -> subprocess.CompletedProcess:
    """Run a command with the index in its settings."""
    print("$", *command, flush=True)
    return subprocess.run([*map(str, command)], env=os.environ | INDEX, check=True, **options)


def installed(uv: Path, version: str, test: dict[str, object]) -> None:
    """Install the package on a version of Python, and test it."""
    found = run(uv, "python", "find", "--system", version, stdout=subprocess.PIPE, text=True).stdout.strip()
    folder = WORK / version
    run(found, "-m", "venv", folder)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    run(programs / "python", "-m", "pip", "install", "--quiet", "rankgauge", *test["test-requires"])
    run(programs / "rankgauge", "--version")
    run(programs / "rankgauge", "demo", folder / "demo", stdout=subprocess.DEVNULL)
    _, *arguments = shlex.split(test["test-command"])
    run(programs / "python", *arguments, cwd=ROOT)


def main(folder: Path) -> None:
    """Upload, and install."""
    shutil.rmtree(WORK, ignore_errors=True)
    packages = WORK / "packages"
    packages.mkdir(parents=True)
    test = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["cibuildwheel"]
    tools = environment(WORK / "tools", "pypiserver", "twine", "uv", "pipx", "setuptools")
    uv, port = tools / "uv", ADDRESS.rpartition(":")[2]
    server = [tools / "pypi-server", "run", "-p", port, "-P", ".", "-a", ".", "--disable-fallback", packages]
    with subprocess.Popen([*map(str, server)]) as index:
        try:
            time.sleep(3)
            files = [*folder.glob("*.tar.gz"), *folder.glob("*/*.whl")]
            run(tools / "twine", "upload", "--repository-url", ADDRESS, "-u", "", "-p", "", *files)
            listed = urllib.request.urlopen(f"{ADDRESS}/simple/rankgauge/").read().decode()
            assert all(file.name in listed for file in files), listed
            for version in VERSIONS:
                try:
                    installed(uv, version, test)
                except subprocess.CalledProcessError as error:
                    if "find" not in error.cmd:
                        raise
                    print(f"There is no Python {version}.")
            run(uv, "tool", "run", "rankgauge", "demo", WORK / "uvx", stdout=subprocess.DEVNULL)
            run(tools / "pipx", "run", "rankgauge", "demo", WORK / "pipx_demo", stdout=subprocess.DEVNULL)
        finally:
            index.terminate()
    print("the release can be installed")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist").resolve())

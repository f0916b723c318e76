"""Compile what is printed as LaTeX, as a paper of two columns would, and as Typst."""

import re
import shutil
import subprocess

import pytest

PDFLATEX = shutil.which("pdflatex")
PREAMBLE = r"""\documentclass[twocolumn]{article}
\usepackage{array,booktabs}
\setlength{\textwidth}{504pt}\setlength{\columnsep}{24pt}
\setlength{\hfuzz}{0.1pt}
\begin{document}
\typeout{COLUMN \the\columnwidth}
"""

# Names that would be markup somewhere, or that fonts lack.
HOSTILE = [
    "a_b", "50%", "#1", "\\input{x}", "{", "}", "}{", "$x$", "a&b", "~^", "<b>&amp;</b>", "'' `` ,, -- ---",
    '"quoted"', "[0]", "*", "@user", "Järvelin", "α-nDCG", "日本", "Привет", "ż ę đ ß ø ł", "e\u0301",
    "\x1b[0m", "\ud800", "²³×±≤→", "…–—“”‘’", "†‡§¶‖•", "a|b", "!?", "\\\\", "%comment", "\\end{tabular}",
    "a\tb", "🙂",
]  # fmt: skip


def needs_latex():
    """Skip a test where there is no pdfLaTeX."""
    if PDFLATEX is None:
        pytest.skip("pdflatex is not installed (Debian: texlive-latex-recommended)")


def has_package(name):
    """Whether this TeX has a package."""
    return not subprocess.run(["kpsewhich", f"{name}.sty"], capture_output=True, check=False).returncode


def problems(snippets, folder, packages=""):
    """(errors, what is too wide or too tall) of a document of two columns of 240 pt with these snippets."""
    parts = (f"\\typeout{{PART {number}}}\n{text}\n\n" for number, text in enumerate(snippets))
    preamble = PREAMBLE.replace(r"\begin", f"{packages}\n\\begin", 1)
    text = f"{preamble}{''.join(parts)}\\clearpage\\end{{document}}\n"
    (folder / "paper.tex").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [PDFLATEX, "-interaction=nonstopmode", "paper.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=300,
    )
    log = done.stdout.decode("utf-8", "replace")
    assert "COLUMN 240.0pt" in log
    errors = re.findall(r"^!.*(?:\n.*){0,6}", log, re.MULTILINE)
    assert bool(done.returncode) == bool(errors)
    assert errors or (folder / "paper.pdf").stat().st_size > 1000
    return errors, re.findall(r"(?:Overfull \\hbox|Float too large).*", log)

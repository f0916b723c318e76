"""Where messages are shown, in Python or by a command: how an option is set is written differently there."""

from collections.abc import Container

OTHER_FLAGS = {"format": "--from"}  # what an option is called where it has another name
_options: Container[str] | None = None  # of the command that is running; None in Python


def show_on(options: Container[str] | None) -> None:
    """Write messages for a command with these options (`--missing`, ...), or with None for Python again."""
    global _options
    _options = options


def setting(name: str, value: str = "", *, kind: str = "", python: str | None = None) -> str:
    """How an option is set: `missing=skip` in Python, `--missing skip` on the command line.

    `kind` is run or qrels if what reads both has an option for each (`--run-columns`); `python` is the value
    in Python if it is written differently there.
    """
    if _options is None:
        where = f" ({kind}_{name} in evaluate)" if kind else ""
        value = value if python is None else python
        return f"{name}={value}{where}" if value else f"{name}{where}"
    flag = name.replace("_", "-")
    flags = [f"--{kind}-{flag}", f"--{flag}", OTHER_FLAGS.get(name, "")]
    flag = next((each for each in flags if each in _options), flags[1])
    return f"{flag} {value}" if value else flag


def in_command() -> bool:
    """Whether a command is running."""
    return _options is not None


def in_python(text: str) -> str:
    """A text that means something in Python alone; empty on the command line."""
    return text if _options is None else ""

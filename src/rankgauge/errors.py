"""Every error rankgauge raises.

    RankgaugeError            never shown as a traceback by the command line (exit code 2)
    ├── InputError            a file, frame or dict that cannot be used as it is
    │   ├── NoCommonTopic     a run and judgments without a topic in common
    │   └── JournalError      a journal that cannot be used, or not any more
    ├── MeasureError          a measure's text that cannot be parsed
    ├── OptionError           an option with a value that is not allowed
    ├── ExtensionError        an entry of a registry that another package adds, and that failed
    └── MissingDependency     a feature whose optional library is not installed
        └── MissingExtension  a feature of an extension that was taken out of the installation

A message states what was given, what is allowed and what to do.
"""


class RankgaugeError(Exception):
    """The base class of all errors of this package."""


class InputError(RankgaugeError):
    """Input that cannot be used as it is, with its path and line where it has them."""

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        place = "".join(f"{part}:" for part in (path, line) if part is not None)
        super().__init__(f"{place} {message}" if place else message)
        self.path = path
        self.line = line


class NoCommonTopic(InputError):
    """A run none of whose topics is judged."""


class JournalError(InputError):
    """A journal that cannot be opened, read or written; a decision was not recorded."""


class MeasureError(RankgaugeError):
    """A measure's name, parameter or value that does not exist."""


class OptionError(RankgaugeError):
    """An option of the library or the command line with a value that is not allowed."""


class ExtensionError(RankgaugeError):
    """A measure, test, correction, study, figure, format or experiment of another package that failed."""


class MissingDependency(RankgaugeError, ImportError):
    """A feature that needs a library which is not installed; also an ImportError."""

    def __init__(self, feature: str, library: str, extra: str = "") -> None:
        package = f"'rankgauge[{extra}]'" if extra else library
        super().__init__(f"{feature} needs {library}, which is not installed; pip install {package}")


class MissingExtension(MissingDependency):
    """A feature of an extension that was taken out of the installation."""

    def __init__(self, feature: str, extension: str, title: str) -> None:
        RankgaugeError.__init__(
            self,
            f"{feature} belongs to the extension {extension} ({title}), which this installation of rankgauge "
            "does not have; install rankgauge anew",
        )

"""A command as a sampler: it prints one output a line, and is run without a shell.

``prog --data {data} --draws {draws} --seed {seed}`` is split as a shell would, once; then in every
word ``{data}`` becomes the dataset, ``{draws}`` how many lines are wanted, and ``{seed}`` a whole
number below 2³¹ that is drawn anew for every call (``{seed64}`` one below 2⁶³, for so many calls
that seeds of 31 bits would repeat).  Nothing else in braces is touched.

A line is one number, or several with commas or blanks between, else a text.  How a number is
written is not looked at: 1 and 1.0 are the same output.  A mark of byte order (U+FEFF) before the
first line of a call is not of it.

*What is run.*  The program and the files among its words (of ``--config=file`` what stands behind
the first ``=``) are hashed when the command is read, and again after a call where they are not as
they were: what was changed is refused.  Libraries, and files that the program opens by itself, are
not looked at.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from dpaudit.errors import LawError, LoadError, ParameterError, one_line
from dpaudit.programs.callables import inputs_of
from dpaudit.sampling.sampler import Sampler, sampler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.random import Generator

__all__ = ["CommandSampler", "commanded", "read_line"]

_PLACE = re.compile(r"\{(data|draws|seed|seed64)\}")
_NEEDED = ("data", "draws")
_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)|nan", re.ASCII | re.IGNORECASE
)
_WHOLE = re.compile(r"[+-]?\d{1,4000}", re.ASCII)
_BETWEEN = re.compile(r"[,\s]+")
_MOST_BYTES = 1024
"""Of a line, on average."""
_SPARE_BYTES = 1 << 16
_SAID = 4096
"""Number of last bytes kept of a command's standard error."""
_PART = 1 << 16
_HELD = (
    "it has ended, but a process that it started still holds its output open after {seconds} s; "
    "end that process too, or let it write elsewhere"
)
_SECONDS = 60
"""Default time limit of one call, in seconds."""
_MOST_SECONDS = 86_400
_RECENT = 10**9
"""A file that was changed within so many nanoseconds may change again and not show it."""


@dataclass(frozen=True)
class _Hashed:
    """The files that a command is made of, as they were when it was read."""

    files: tuple[tuple[int, Path], ...]
    """Each with the place of its word."""
    sha256: str
    state: list[tuple[int, ...]] = field(default_factory=list, compare=False)
    """Device, inode, size and times of each file; empty while a change might not alter them."""

    @classmethod
    def of(cls, files: Iterable[tuple[int, Path]]) -> _Hashed:
        """Hash files; those that cannot be read are left out."""
        readable, parts = [], []
        for place, path in files:
            with suppress(OSError, ValueError):  # most words are no files
                if path.is_file():  # and no device, which has no end
                    parts.append((place, hashlib.sha256(path.read_bytes()).hexdigest()))
                    readable.append((place, path))
        return cls(tuple(readable), hashlib.sha256(repr(parts).encode()).hexdigest())

    def changed(self) -> bool:
        """Tell whether a file is another now; it is read only where it may be."""
        try:
            now = time.time_ns()
            stats = [os.stat(path) for _, path in self.files]
        except OSError:
            return True
        state = [(s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for s in stats]
        if state == self.state:
            return False
        settled = all(max(s.st_mtime_ns, s.st_ctime_ns) < now - _RECENT for s in stats)
        self.state[:] = state if settled else []
        return _Hashed.of(self.files).sha256 != self.sha256


@dataclass(frozen=True)
class CommandSampler(Sampler):
    """A command that prints one output a line."""

    begins_anew: ClassVar[bool] = True
    words: tuple[str, ...] = ()
    """Its words, with the placeholders."""
    folder: str = ""
    """Working directory."""
    seconds: int = _SECONDS
    """Time limit of one call, in seconds."""
    program: str = ""
    """Path of the executable that the first word names."""
    hashed: _Hashed | None = field(default=None, repr=False, compare=False)
    """Program and files among its words, with their hash; None if nothing was hashed."""

    def draw(self, dataset: Any, size: int, rng: Generator) -> Any:
        """Return ``size`` outputs at ``dataset``.

        Raises:
            LawError: for a command that fails, takes too long, prints another number of lines, or
                is another one after it has run.
        """
        values = {
            "data": str(dataset),
            "draws": str(size),
            "seed": str(rng.integers(2**31)),
            "seed64": str(rng.integers(2**63)),
        }
        words = [_PLACE.sub(lambda match: values[match[1]], word) for word in self.words]

        def failed(why: str) -> LawError:
            return LawError(f"{self.name} at {dataset}: {why}")

        try:
            process = subprocess.Popen(
                words,
                executable=self.program or None,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise failed(f"it cannot be run ({one_line(error)})") from None
        with process:
            try:
                printed, stderr, why = _read(process, size, time.monotonic() + self.seconds)
            finally:
                with suppress(ProcessLookupError, PermissionError):
                    # The command may have started others, which its own end does not end.
                    os.killpg(process.pid, signal.SIGKILL)
            if self.hashed is not None and self.hashed.changed():
                raise failed(
                    "its program, or a file that it names, changed during the draws; start again"
                )
            if why:
                raise failed(why.format(size=size, seconds=self.seconds))
            if process.wait() != 0:
                last = stderr.decode(errors="replace").strip().rpartition("\n")[2]
                raise failed(
                    f"it ended with {process.returncode}{f': {last[:200]}' if last else ''}"
                )
        printed = printed.removeprefix(codecs.BOM_UTF8)
        lines = printed.decode(errors="surrogateescape").split("\n")
        if lines[-1] == "":
            lines.pop()
        if len(lines) != size:
            raise failed(f"{len(lines)} lines instead of {size}")
        return list(map(read_line, lines))


def _read(process: Any, size: int, deadline: float) -> tuple[bytearray, bytearray, str]:
    """Return the standard output, the end of the standard error, and what is wrong, if anything."""
    printed, stderr, lines = bytearray(), bytearray(), 0
    # Both pipes at once: a full one that nobody reads would stop the command.
    with selectors.DefaultSelector() as waiting:
        for stream in (process.stdout, process.stderr):
            waiting.register(stream, selectors.EVENT_READ)
        while waiting.get_map():
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                if process.poll() is None:
                    return printed, stderr, "it is not finished after {seconds} s"
                return printed, stderr, _HELD
            for key, _ in waiting.select(remaining):
                part = os.read(key.fd, _PART)
                if not part:
                    waiting.unregister(key.fileobj)
                elif key.fileobj is process.stderr:
                    stderr += part
                    del stderr[:-_SAID]
                else:
                    printed += part
                    lines += part.count(b"\n")
            if lines > size:
                return printed, stderr, "more than {size} lines instead of {size}"
            if len(printed) > size * _MOST_BYTES + _SPARE_BYTES:
                return printed, stderr, f"more than {_MOST_BYTES} bytes a line"
        while process.poll() is None:  # it has closed both, and goes on
            if time.monotonic() > deadline:
                return printed, stderr, "it is not finished after {seconds} s"
            time.sleep(0.001)
    return printed, stderr, ""


def read_line(line: str) -> Any:
    """Return the output that a line shows: a number, several, or the text as it is.

    >>> read_line("3"), read_line("0.5, 2"), read_line("yes"), read_line("1_0")
    (3, (0.5, 2), 'yes', '1_0')
    """
    text = line.removesuffix("\r")
    parts = _BETWEEN.split(text.strip())
    if not all(map(_NUMBER.fullmatch, parts)):
        return text
    numbers = [int(part) if _WHOLE.fullmatch(part) else float(part) for part in parts]
    return numbers[0] if len(numbers) == 1 else tuple(numbers)


def commanded(reference: str, text: str, folder: Path) -> tuple[Callable[..., Sampler], str]:
    """Return a factory of the sampler that a command is, and the SHA-256 of its files.

    The hash is over those of the program and of each file among its words, with their places.

    Args:
        reference: what messages call it.
        text: the command, with placeholders.
        folder: where it is run.

    Raises:
        LoadError: for what is no command, or lacks a placeholder.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise LoadError(reference, f"it cannot be split into words ({one_line(error)})") from None
    placeholders = {name for word in words for name in _PLACE.findall(word)}
    for name in _NEEDED:
        if name not in placeholders:
            raise LoadError(
                reference,
                f"it lacks {{{name}}}: dpaudit replaces {{data}} by the dataset, {{draws}} by the "
                "number of lines to print, and {seed} by a seed",
            )
    program = shutil.which(words[0]) if os.sep not in words[0] else str(folder / words[0])
    if program is None or not Path(program).is_file():
        raise LoadError(reference, f"there is no program {words[0]}")
    if os.sep in words[0]:
        words[0] = program
    program = os.path.abspath(program)
    hashed = _Hashed.of([(0, Path(program)), *_named(words, folder)])
    name = " ".join(text.split())

    def make(inputs: str, neighbours: str = "all", seconds: int = _SECONDS) -> Sampler:
        if not 1 <= seconds <= _MOST_SECONDS:
            written = f"seconds = {seconds}" if abs(seconds) < 10**20 else "seconds"
            raise ParameterError(
                "seconds", f"{written}: must be a whole number from 1 to {_MOST_SECONDS}"
            )
        call = inputs_of(inputs, neighbours, folder)
        plain = sampler(datasets=call.datasets, neighbours=call.neighbours, name=name)(_unused)
        values = {"inputs": call.text, "neighbours": call.neighbours, "seconds": seconds}
        own = {
            attribute.name: getattr(plain, attribute.name)
            for attribute in fields(plain)
            if attribute.init
        }
        own |= {"given": tuple(values.items()), "made": make}
        own |= {"words": tuple(words), "folder": str(folder), "seconds": seconds}
        return CommandSampler(**own, program=program, hashed=hashed)

    make.__name__ = name
    return make, hashed.sha256


def _named(words: Sequence[str], folder: Path) -> Iterator[tuple[int, Path]]:
    """Yield what may be files: each word but the first, and what is behind its first =."""
    for place, word in enumerate(words[1:], 1):
        for part in dict.fromkeys((word, word.partition("=")[2])):
            if part:
                yield place, folder / part


def _unused(dataset: Any, size: int, rng: Generator) -> Any:
    raise AssertionError("a command cannot be called like a function")

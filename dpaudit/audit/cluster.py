"""Workers of a Dask cluster: the same sweep on other machines, with the same findings.

A worker that is lost takes nothing with it: the scheduler has its share done by another.  Work is
done by the same code on the same arithmetic only: a worker compares the fingerprint that comes with
the work with its own and sends that back, where it is compared again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any

from dpaudit.errors import ClusterError
from dpaudit.fingerprint import fingerprint

__all__ = ["ClusterExecutor", "cluster_executor"]

_SECONDS_TO_CONNECT = 10
_LOGGERS = ("distributed.client", "distributed.core", "tornado.application")

_one_at_a_time = Lock()


@contextmanager
def cluster_executor(address: str) -> Iterator[ClusterExecutor]:
    """Give the workers of the Dask scheduler at ``address``; ``ClusterError`` if there are none."""
    try:
        import distributed
    except ImportError:
        raise ClusterError(
            address, "Dask is not installed here; pip install 'dpaudit[dask]'"
        ) from None
    from distributed.client import FutureCancelledError
    from distributed.scheduler import KilledWorker

    with ExitStack() as stack:
        stack.enter_context(_quiet(*_LOGGERS))
        try:
            _check_address(address)
            client: Any = distributed.Client(  # type: ignore[no-untyped-call]
                # A client of the user stays the default.
                address,
                timeout=_SECONDS_TO_CONNECT,
                set_as_default=False,
            )
        except (OSError, ValueError) as error:
            raise ClusterError(address, _one_line(error)) from None
        stack.callback(client.close)
        try:
            client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
        except TimeoutError:
            raise ClusterError(address, "the scheduler has no workers") from None
        known = client.scheduler_info(n_workers=-1)["workers"].values()
        # Dask would hand out the result of an earlier call that looks the same.
        executor = ClusterExecutor(address, client.get_executor(pure=False), len(known))
        executor.memory = min(filter(None, (one.get("memory_limit") for one in known)), default=0)
        stack.callback(executor.shutdown, wait=False)
        try:
            yield executor
        except KilledWorker as error:
            raise ClusterError(address, f"work was given up: {_one_line(error)}") from None
        except (CancelledError, FutureCancelledError):
            raise ClusterError(address, "the scheduler was lost") from None


def _check_address(address: str) -> None:
    """Raise ``ValueError`` for an address that a client would only stumble over."""
    from distributed.comm.addressing import parse_address, parse_host_port
    from distributed.comm.registry import get_backend

    scheme, location = parse_address(address)
    get_backend(scheme)
    parse_host_port(location)


@contextmanager
def _quiet(*names: str) -> Iterator[None]:
    """Keep the loggers of these ``names`` quiet: what they report is raised as well."""
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class ClusterExecutor(Executor):
    """Submits to the executor of a Dask client what may only run under the same code."""

    workers: int
    """Number of workers at the start."""
    memory: int = 0
    """Smallest memory limit of a worker, in bytes; 0 if no worker states one."""

    def __init__(self, address: str, inner: Executor, workers: int) -> None:
        """Take the address of the scheduler and the executor of a client."""
        self.address = address
        self.workers = workers
        self._inner = inner
        self._code = fingerprint()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        found = self._inner.submit(_on_worker, self.address, self._code, fn, args, kwargs)
        return _Unwrapped(found, self.address, self._code)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._inner.shutdown(wait=wait)


@dataclass(frozen=True)
class _Done:
    """Result of a worker, with its address and the fingerprint of its code."""

    worker: str
    code: str
    result: Any


class _Unwrapped(Future[Any]):
    """The future of a result that is taken from a worker with the same code only."""

    def __init__(self, inner: Future[Any], address: str, code: str) -> None:
        """Come to an end when ``inner`` does."""
        super().__init__()
        self._address, self._needed = address, code
        inner.add_done_callback(self._take)

    def _take(self, inner: Future[Any]) -> None:
        try:
            done = inner.result()
            if not isinstance(done, _Done):  # from a time when workers did not say who they are
                raise _other_code(self._address, "a worker", "other code", self._needed)
            if not done.code or done.code != self._needed:
                raise _other_code(self._address, done.worker, done.code, self._needed)
        except BaseException as error:
            self.set_exception(error)
        else:
            self.set_result(done.result)


def _on_worker(
    address: str,
    code: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> _Done:
    """Call ``function`` on a worker, one call at a time: a process has one working precision."""
    # Code that is not known is not the same as other code that is not known.
    if not code or code != fingerprint():
        raise _other_code(address, _own_name(), fingerprint(), code)
    with _one_at_a_time:
        return _Done(_own_name(), code, function(*args, **kwargs))


def _own_name() -> str:
    """Return what this worker is called."""
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:
        return "a worker"
    return f"the worker {worker.name}"


def _other_code(address: str, worker: str, found: str, needed: str) -> ClusterError:
    have, need = found or "code that is not known", needed or "code that is known"
    return ClusterError(address, f"{worker} has {have} where {need} is needed")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__

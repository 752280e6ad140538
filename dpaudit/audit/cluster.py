"""Workers of a Dask cluster: the same sweep on other machines, with the same findings.

A worker that is lost takes nothing with it: the scheduler has its share done by another.
"""

from __future__ import annotations

import logging
from concurrent.futures import CancelledError, Executor
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from dpaudit.errors import ClusterError
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

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
                address, timeout=_SECONDS_TO_CONNECT, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise ClusterError(address, _one_line(error)) from None
        stack.callback(client.close)
        try:
            client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
        except TimeoutError:
            raise ClusterError(address, "the scheduler has no workers") from None
        workers = len(client.scheduler_info(n_workers=-1)["workers"])
        executor = ClusterExecutor(address, client.get_executor(pure=False), workers)
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
    """Submits to the executor of a Dask client what may only run under the same version."""

    workers: int
    """How many workers there were at the start."""

    def __init__(self, address: str, inner: Executor, workers: int) -> None:
        """Take the address of the scheduler and the executor of a client."""
        self.address = address
        self.workers = workers
        self._inner = inner

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._inner.submit(_on_worker, self.address, __version__, fn, args, kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._inner.shutdown(wait=wait)


def _on_worker(
    address: str,
    version: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Call ``function`` on a worker, one call at a time: a process has one working precision."""
    if version != __version__:
        raise ClusterError(
            address, f"a worker has dpaudit {__version__} where dpaudit {version} is needed"
        )
    with _one_at_a_time:
        return function(*args, **kwargs)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__

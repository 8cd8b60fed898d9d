"""Runs a plan: every training once, in parallel, each left as a record; then all of them told as one result.

Whatever ends a run, what was finished is kept, and the same plan goes on from there.
"""

from __future__ import annotations

import math
import os
import platform
import signal
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from rankwise.data.formats.files import PathLike, writing
from rankwise.errors import RankwiseError, message
from rankwise.study.cells import Asked, Job, Prepared, asked, jobs, prepared
from rankwise.study.gather import gathered
from rankwise.study.plan import Plan, read_plan
from rankwise.study.record import made
from rankwise.study.result import StudyResult
from rankwise.study.work import Done, records_of, work

__all__ = ["Progress", "Told", "cores", "run_study", "workers_of"]

# How long to wait for what another process computes, before looking again.
PATIENCE = 0.3
RESULT = "result.study"


class Told(NamedTuple):
    """What there is to tell of a training that is through."""

    number: int
    """So many are through."""
    of: int
    name: str
    how: str
    """`trained`, or `found` where its record was there."""
    failed: str
    """Why it failed; empty if it did not."""
    seconds: float
    left: float
    """Seconds until all are through, as far as one can tell; NaN before the first one is."""


class Progress(Protocol):
    """Is told how a study gets on."""

    def begin(self, trainings: int, kept: int, workers: int) -> None:
        """Before the first training; so many records are there already."""

    def done(self, told: Told) -> None:
        """After each training."""

    def end(self) -> None:
        """After the last one, or when the run breaks off."""


def run_study(
    plan: Plan | PathLike,
    folder: PathLike,
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    retry_failed: bool = False,
) -> StudyResult:
    """Runs a plan, or the plan of a file, and keeps all it computes in `folder`; the result is there too.

    A training whose record is in the folder is not run again: a run that was broken off goes on, and a changed plan
    trains what has changed. Two runs may share a folder. `executor` is any of `concurrent.futures`; without, so many
    processes as `workers` (default: the cores), and with one worker none. `progress` is told of each training.
    A training that fails is on record too, and is told in the result; `retry_failed` tries those again.

    Where processes are started, a script calls this under `if __name__ == "__main__":`.

    >>> import tempfile
    >>> tables = {
    ...     "data": {"simulated": "hotels", "searches": 60, "folds": 3},
    ...     "measures": {"train": "nDCG@5"},
    ...     "learner": [{"name": "best-feature"}],
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = run_study(Plan.of(tables), folder, workers=1)
    >>> found.score("best-feature", "nDCG@5", "nDCG@5").seeds.shape
    (1,)
    """
    began = time.perf_counter()
    plan = plan if isinstance(plan, Plan) else read_plan(plan)
    place = Path(folder)
    made(place)
    own = workers_of(workers) if executor is None else None
    threads = max(1, cores() // own) if own is not None else None
    with _told_of_full_disks(place):
        folds = [prepared(plan, fold, place) for fold in plan.data.folds()]
        cells, learners = asked(plan, folds, threads=threads)
        todo = jobs(cells, learners, place, plan.time_budget, again=retry_failed)
        run = _Run(place, folds, cells, todo, progress)
        died = run.all(executor, own)
        about = {**_about(own), "seconds": time.perf_counter() - began}
        result = gathered(plan, place, folds, cells, died, about)
        _keep(result, place)
    return result


def cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def workers_of(wanted: int | None) -> int:
    """So many as are wanted; None: the cores."""
    if wanted is None:
        return cores()
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 1:
        raise RankwiseError(message(f"workers must be a whole number from 1, not {wanted!r}"))
    return wanted


class _Run:
    """The trainings of a plan, and how far they are."""

    def __init__(
        self,
        folder: Path,
        folds: Sequence[Prepared],
        cells: Sequence[Asked],
        jobs: Mapping[str, Job],
        progress: Progress | None,
    ) -> None:
        self.progress = progress
        first = {cell.path: cell for cell in reversed(cells)}
        self.names = {job.key: _called(first[path], folds) for path, job in jobs.items()}
        self.kinds = {job.key: first[path].contender.label for path, job in jobs.items()}
        self.jobs = {job.key: job for job in jobs.values()}
        self.folder = folder
        self.seconds: dict[str, list[float]] = {}
        self.through: set[str] = set()
        self.workers = 1

    def all(self, executor: Executor | None, workers: int | None) -> dict[str, str]:
        """Runs all jobs; why some have no record though they were tried."""
        self.workers = workers or len(self.jobs)
        if self.progress is not None:
            records = records_of(self.folder)
            kept = sum(all(records.has(one.facts) for one in job.choices) for job in self.jobs.values())
            self.progress.begin(len(self.jobs), kept, self.workers)
        try:
            return self._all(executor, workers)
        finally:
            if self.progress is not None:
                self.progress.end()

    def _all(self, executor: Executor | None, workers: int | None) -> dict[str, str]:
        waiting = deque(self.jobs.values())
        # What was at work when a process died goes again alone, since another may have been to blame.
        suspects: deque[Job] = deque()
        died: dict[str, str] = {}
        while waiting or suspects:
            alone = not waiting
            if alone:
                waiting.append(suspects.popleft())
            with ExitStack() as stack:
                pool = executor
                if pool is None and workers != 1:
                    pool = stack.enter_context(_processes(1 if alone else self.workers))
                broken = self._some(pool, waiting, died)
            if not alone and executor is None:
                suspects.extend(broken)
                continue
            for job in broken:
                self._lose(job, "its process died; the system may have run out of memory", died)
        return died

    def _some(self, pool: Executor | None, waiting: deque[Job], died: dict[str, str]) -> list[Job]:
        """Works until nothing waits, or until the pool breaks: then the jobs that were at work."""
        at_work: dict[Future[Done], Job] = {}
        while waiting or at_work:
            while waiting and len(at_work) < self.workers:
                job = waiting.popleft()
                try:
                    at_work[_submitted(pool, job)] = job
                except BrokenExecutor:
                    return [job, *at_work.values()]
            finished, _ = wait(at_work, return_when=FIRST_COMPLETED)
            for future in finished:
                if isinstance(future.exception(), BrokenExecutor):
                    return list(at_work.values())
                job = at_work.pop(future)
                if not self._taken(job, future, died):
                    waiting.append(job)
                    # All that is left may be another's: look again in a while.
                    if len(waiting) <= len(at_work) + 1:
                        time.sleep(PATIENCE)
        return []

    def _taken(self, job: Job, future: Future[Done], died: dict[str, str]) -> bool:
        """Whether the job is through."""
        try:
            done = future.result()
        except MemoryError:
            self._lose(job, "there was not enough memory", died)
            return True
        if done.how == "elsewhere":
            return False
        self._tell(done)
        return True

    def _lose(self, job: Job, why: str, died: dict[str, str]) -> None:
        """A job without a record, and why."""
        died |= {choice.key: why for choice in job.choices}
        self._tell(Done(job.key, "trained", why, math.nan))

    def _tell(self, done: Done) -> None:
        self.through.add(done.key)
        if not math.isnan(done.seconds):
            self.seconds.setdefault(self.kinds[done.key], []).append(done.seconds)
        if self.progress is not None:
            count = len(self.through), len(self.jobs)
            self.progress.done(Told(*count, self.names[done.key], done.how, done.failed, done.seconds, self._left()))

    def _left(self) -> float:
        """What the other trainings will take: what those of the same learner took, else what any took."""
        every = [seconds for those in self.seconds.values() for seconds in those]
        if not every:
            return math.nan
        mean = math.fsum(every) / len(every)
        means = {kind: math.fsum(those) / len(those) for kind, those in self.seconds.items()}
        left = [means.get(self.kinds[key], mean) for key in self.jobs if key not in self.through]
        return math.fsum(left) / self.workers


def _called(cell: Asked, folds: Sequence[Prepared]) -> str:
    where = f"fold {folds[cell.fold].facts.name}"
    seed = f", seed {cell.seed}" if len(cell.contender.seeds) > 1 else ""
    point = "".join(f", {name}={value}" for name, value in cell.point.items())
    return f"{cell.contender.label} for {cell.training.name}, {where}{seed}{point}"


def _submitted(pool: Executor | None, job: Job) -> Future[Done]:
    if pool is not None:
        return pool.submit(work, job)
    here: Future[Done] = Future()
    try:
        here.set_result(work(job))
    except Exception as error:
        here.set_exception(error)
    return here


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    """Processes that begin anew, end with this one, and are not waited for when the study breaks off."""
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin)
    try:
        yield pool
    except BaseException:
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()
        raise
    pool.shutdown()


def _begin() -> None:
    """In a worker: a key to stop stops the study, which ends its workers; and no worker outlives the study."""
    from multiprocessing import parent_process
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def end() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=end, daemon=True).start()


@contextmanager
def _told_of_full_disks(folder: Path) -> Iterator[None]:
    """A file that cannot be written ends the study, and the words say where and that nothing is lost."""
    try:
        yield
    except OSError as error:
        place = str(error.filename or folder)
        hint = "make room or name another folder; what was finished is kept, and the same study goes on from there."
        what = f"cannot be written ({error.strerror or error})"
        raise RankwiseError(message(what, place=place, hint=hint)) from None


def _keep(result: StudyResult, folder: Path) -> None:
    """The result as a file, and its tables and numbers as texts."""
    result.save(folder / RESULT)
    texts = {
        "result.md": result.to_markdown(),
        "result.tex": result.to_latex(),
        "result.csv": result.to_csv(),
        "plan.toml": result.plan_text,
    }
    for name, text in texts.items():
        with writing(folder / name) as file:
            file.write(f"{text.rstrip()}\n".encode())


def _about(workers: int | None) -> dict[str, Any]:
    """What the run stood on."""
    from importlib.metadata import PackageNotFoundError, version

    from rankwise import __version__

    packages = {}
    for package in ("numpy", "scipy", "scikit-learn", "lightgbm", "jax"):
        try:
            packages[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "rankwise": __version__,
        "python": platform.python_version(),
        "packages": packages,
        "machine": f"{platform.system()} {platform.machine()}, {cores()} cores",
        "workers": workers,
    }

"""A report as a file: HTML, Markdown with its figures beside it, or the figures alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rankwise.data.formats import arrays
from rankwise.data.formats.files import PathLike, placing, writing
from rankwise.errors import RankwiseError, message
from rankwise.report.document import Document

__all__ = ["FORMATS", "document_of", "load", "write_report"]

FORMATS = ("html", "markdown", "figures")
# The files of each figure, for a page and for a paper.
ENDINGS = (".svg", ".png", ".pdf")


def write_report(found: Any, path: PathLike, *, form: str = "html", title: str = "") -> list[Path]:
    """Writes the report of a result, and gives the paths that were written, the report itself first.

    `found` is a `StudyResult`, a `Result` or several, a `Comparison`, or what `explain` or `sensitivity` give. `form`
    is `html`, one file that needs no network; `markdown`, a file with its figures in a folder beside it; or `figures`,
    a folder of .svg, .png and .pdf files. It takes `pip install 'rankwise[report]'`.
    """
    if form not in FORMATS:
        raise RankwiseError(message(f"there is no report as '{form}'", hint=f"there are {', '.join(FORMATS)}."))
    made = found if isinstance(found, Document) else document_of(found, title)
    target = Path(path)
    if form == "html":
        from rankwise.report.html import page

        return [_text(target, page(made))]
    if form == "markdown":
        from rankwise.report.markdown import markdown

        folder = target.with_name(f"{target.stem}_figures")
        pictures = figures(made, folder, (".svg",))
        return [_text(target, markdown(made, folder.name)), *pictures]
    return figures(made, target, ENDINGS)


def document_of(found: Any, title: str = "") -> Document:
    """What a report of a result says."""
    from rankwise.evaluation.compare import Comparison
    from rankwise.evaluation.explain import Explanation
    from rankwise.evaluation.result import Result
    from rankwise.evaluation.sensitivity import Sensitivity
    from rankwise.report import of_comparison, of_evaluation, of_study
    from rankwise.study.result import StudyResult

    named = {"title": title} if title else {}
    if isinstance(found, StudyResult):
        return of_study.document(found, **named)
    if isinstance(found, Comparison):
        return of_comparison.document(found, **named)
    if isinstance(found, Explanation):
        return of_evaluation.of_explanation(found, **named)
    if isinstance(found, Sensitivity):
        return of_evaluation.of_sensitivity(found, **named)
    results = [found] if isinstance(found, Result) else found
    if isinstance(results, Sequence) and results and all(isinstance(one, Result) for one in results):
        return of_evaluation.of_results(results, **named)
    hint = "studies, results of evaluate, comparisons, explanations and sensitivities have one."
    raise RankwiseError(message(f"there is no report of {type(found).__name__}", hint=hint))


def load(paths: Sequence[PathLike]) -> Any:
    """What lies in saved files: one study, one result, or a comparison of several results."""
    from rankwise.evaluation.compare import compare
    from rankwise.evaluation.saved import load_result
    from rankwise.study.saved import load_study

    kinds = [arrays.kind_of(path) for path in paths]
    if kinds == ["study"]:
        return load_study(paths[0])
    if "study" in kinds:
        hint = "call it once a study; several results of `evaluate` are compared."
        raise RankwiseError(
            message("a study has a report of its own", place=str(paths[kinds.index("study")]), hint=hint)
        )
    results = [load_result(path) for path in paths]
    if len(results) == 1:
        return results[0]
    names = [result.name or Path(path).stem for path, result in zip(paths, results, strict=True)]
    if len(set(names)) < len(names):
        names = [Path(path).stem for path in paths]
    if len(set(names)) < len(names):
        names = [str(path) for path in paths]
    return compare(dict(zip(names, results, strict=True)))


def figures(made: Document, folder: Path, endings: Sequence[str]) -> list[Path]:
    """Each chart as a file of each ending; those of a figure are numbered if they are several."""
    from rankwise.report.figures import rendered

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in made.figures:
        for at, chart in enumerate(figure.charts, 1):
            for ending in endings:
                path = folder / f"{file_name(figure.name, at, len(figure.charts))}{ending}"
                with placing(path) as part:
                    part.write_bytes(rendered(chart, ending))
                written.append(path)
    return written


def file_name(name: str, at: int, of: int) -> str:
    """The name of a chart's file, without its ending.

    >>> file_name("figure-1", 2, 8), file_name("ranks", 1, 1)
    ('figure-1-2', 'ranks')
    """
    return name if of == 1 else f"{name}-{at}"


def _text(path: Path, text: str) -> Path:
    with writing(path) as file:
        file.write(text.encode())
    return path

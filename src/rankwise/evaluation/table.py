"""A small table of text, and its forms: terminal, Markdown, LaTeX, HTML."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Marked", "Table"]

_LATEX = str.maketrans(
    {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
     "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "–": "--", "−": "$-$", "±": r"$\pm$", "<": "$<$",
     ">": "$>$", "|": "$|$", "τ": r"$\tau$", "→": r"$\to$", "²": "$^2$", "√": r"$\surd$", "≥": r"$\geq$",
     "×": r"$\times$"}
)  # fmt: skip


class Marked(str):
    """A cell with letters behind it, raised where the form can raise them.

    >>> Marked("0.5", "ab"), Marked("0.5").mark
    ('0.5 ab', '')
    """

    value: str
    mark: str

    def __new__(cls, value: str, mark: str = "") -> Marked:
        cell = super().__new__(cls, f"{value} {mark}".rstrip())
        cell.value, cell.mark = value, mark
        return cell


class Table:
    """Rows under a head; the columns in `left` are aligned left, the others right. `notes` stand below.

    >>> print(Table(["measure", "value"], [["nDCG@10", "0.5"], ["AP", "0.25"]]))
    measure  value
    nDCG@10    0.5
    AP        0.25
    """

    def __init__(
        self,
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
        notes: Sequence[str] = (),
        title: str = "",
        left: frozenset[int] = frozenset({0}),
    ) -> None:
        self.head = head
        self.rows = rows
        self.notes = notes
        self.title = title
        self.left = left

    def __str__(self) -> str:
        widths = [max(len(row[i]) for row in [self.head, *self.rows]) for i in range(len(self.head))]
        lines = [self.title, ""] if self.title else []
        for row in [self.head, *self.rows]:
            cells = [
                c.ljust(w) if i in self.left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(cells).rstrip())
        return "\n".join([*lines, *([""] if self.notes else []), *self.notes])

    def to_markdown(self) -> str:
        """A table of GitHub's Markdown."""
        cells = [[_markdown(cell) for cell in row] for row in [self.head, *self.rows]]
        rule = ["---" if i in self.left else "---:" for i in range(len(self.head))]
        lines = [f"**{self.title}**", ""] if self.title else []
        lines += [f"| {' | '.join(row)} |" for row in [cells[0], rule, *cells[1:]]]
        return "\n".join([*lines, *(part for note in self.notes for part in ("", note))])

    def to_latex(self) -> str:
        """A `tabular` with booktabs rules."""
        columns = "".join("l" if i in self.left else "r" for i in range(len(self.head)))
        head, *rows = [" & ".join(_latex(cell) for cell in row) + r" \\" for row in [self.head, *self.rows]]
        notes = [f"% {note}" for note in (self.title, *self.notes) if note]
        return "\n".join(
            [
                *notes,
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                head,
                r"\midrule",
                *rows,
                r"\bottomrule",
                r"\end{tabular}",
            ]
        )

    def to_html(self) -> str:
        """A plain HTML table."""
        from html import escape

        def row(cells: Sequence[str], tag: str) -> str:
            sides = ["left" if i in self.left else "right" for i in range(len(cells))]
            inside = "".join(
                f'<{tag} style="text-align:{s}">{_html(c)}</{tag}>' for c, s in zip(cells, sides, strict=True)
            )
            return f"<tr>{inside}</tr>"

        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        body = "".join(row(cells, "td") for cells in self.rows)
        notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in self.notes)
        return f"<table>{caption}<thead>{row(self.head, 'th')}</thead><tbody>{body}</tbody></table>{notes}"


def _markdown(cell: str) -> str:
    if isinstance(cell, Marked) and cell.mark:
        return f"{_markdown(cell.value)}<sup>{cell.mark}</sup>"
    return cell.replace("|", r"\|")


def _latex(cell: str) -> str:
    if isinstance(cell, Marked) and cell.mark:
        return f"{_latex(cell.value)}$^{{{cell.mark}}}$"
    return cell.translate(_LATEX)


def _html(cell: str) -> str:
    from html import escape

    if isinstance(cell, Marked) and cell.mark:
        return f"{escape(cell.value)}<sup>{cell.mark}</sup>"
    return escape(cell)

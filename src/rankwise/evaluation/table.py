"""A small table of text, and its forms: terminal, Markdown, LaTeX, HTML."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Table"]

_LATEX = str.maketrans(
    {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
     "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "–": "--", "−": "$-$", "±": r"$\pm$"}
)  # fmt: skip


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
        cells = [[cell.replace("|", r"\|") for cell in row] for row in [self.head, *self.rows]]
        rule = ["---" if i in self.left else "---:" for i in range(len(self.head))]
        lines = [f"**{self.title}**", ""] if self.title else []
        lines += [f"| {' | '.join(row)} |" for row in [cells[0], rule, *cells[1:]]]
        return "\n".join([*lines, *(part for note in self.notes for part in ("", note))])

    def to_latex(self) -> str:
        """A `tabular` with booktabs rules."""
        columns = "".join("l" if i in self.left else "r" for i in range(len(self.head)))
        head, *rows = [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in [self.head, *self.rows]]
        notes = [f"% {note}" for note in self.notes]
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
                f'<{tag} style="text-align:{s}">{escape(c)}</{tag}>' for c, s in zip(cells, sides, strict=True)
            )
            return f"<tr>{inside}</tr>"

        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        body = "".join(row(cells, "td") for cells in self.rows)
        notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in self.notes)
        return f"<table>{caption}<thead>{row(self.head, 'th')}</thead><tbody>{body}</tbody></table>{notes}"

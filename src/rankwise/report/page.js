"use strict";
// Sorting and export of tables, drawing of figures, and their data. Everything is in the page; nothing is asked of a network.
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);

  const made = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text !== null) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  const button = (text, label, action) => {
    const element = made("button", text, { type: "button", "aria-label": label });
    element.addEventListener("click", action);
    return element;
  };

  const save = (name, content, type) => {
    const address = content.startsWith("data:") || content.startsWith("blob:")
      ? content : URL.createObjectURL(new Blob([content], { type }));
    const link = made("a", null, { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    if (address !== content) setTimeout(() => URL.revokeObjectURL(address), 1000);
  };

  const csvOf = (rows) => rows.map((row) => row.map((cell) => {
    const text = cell === null || cell === undefined ? "" : String(cell);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }).join(",")).join("\n") + "\n";

  // Tables.

  const words = (cell) => cell.dataset.value ?? cell.textContent.trim();

  const number = (text) => {
    const plain = text.replace(/[*,\s]/g, "").replace("−", "-").replace(/^[<>]/, "");
    const found = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/i.exec(plain);
    return found ? parseFloat(found[0]) : NaN;
  };

  const sort = (table, column, head) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const up = head.getAttribute("aria-sort") !== "ascending";
    const texts = new Map(rows.map((row) => [row, words(row.cells[column])]));
    const filled = rows.filter((row) => !["", "–"].includes(texts.get(row)));
    const numeric = !head.classList.contains("left") && filled.every((row) => !Number.isNaN(number(texts.get(row))));
    const compare = numeric
      ? (a, b) => number(texts.get(a)) - number(texts.get(b))
      : (a, b) => texts.get(a).localeCompare(texts.get(b), "en", { numeric: true });
    filled.sort((a, b) => (up ? 1 : -1) * compare(a, b));
    // What is empty stays last, whichever way.
    body.append(...filled, ...rows.filter((row) => !filled.includes(row)));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
  };

  const makeSortable = (table) => {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const text = head.textContent;
      head.replaceChildren(button(text, `sort by ${text || "the first column"}`, () => sort(table, column, head)));
    });
  };

  const rowsOf = (table) => [...table.rows].map((row) =>
    [...row.cells].map((cell) => (cell.tagName === "TH" ? cell.textContent : words(cell))));

  for (const part of document.querySelectorAll(".part[data-table]")) {
    const table = part.querySelector("table");
    const name = part.dataset.table;
    makeSortable(table);
    const tools = made("div", null, { class: "tools" });
    tools.append(
      button("CSV", `save ${name} as CSV`, () => save(`${name}.csv`, csvOf(rowsOf(table)), "text/csv")),
      button("LaTeX", `save ${name} as LaTeX`, () => save(`${name}.tex`, data.latex[name], "application/x-tex")),
    );
    part.append(tools);
  }

  for (const part of document.querySelectorAll(".part[data-listing]")) {
    const name = part.dataset.listing;
    const tools = made("div", null, { class: "tools" });
    tools.append(button(`Save ${name}`, `save ${name}`, () => save(name, part.querySelector("pre").textContent, "text/plain")));
    part.append(tools);
  }

  // Figures.

  const longest = (spec) => {
    let most = 0;
    JSON.stringify(spec, (key, value) => {
      if (key === "domain" && Array.isArray(value)) for (const name of value) most = Math.max(most, String(name).length);
      return value;
    });
    return most;
  };

  // Panels take as many columns as there is room for.
  const fitted = (spec, width) => {
    const copy = structuredClone(spec);
    const room = Math.max(200, width);
    copy.config = structuredClone(data.config);
    copy.config.title.limit = room;
    copy.config.legend.columns = Math.max(1, Math.floor(room / (6.5 * longest(spec) + 45)));
    if (copy.concat) {
      const beside = copy.usermeta?.beside ?? 72;
      const columns = Math.max(1, Math.min(copy.concat.length, Math.floor((room + 20) / (copy.concat[0].width + beside))));
      const each = Math.max(150, Math.min(columns === 1 ? 480 : 340, Math.floor(room / columns) - beside));
      copy.columns = columns;
      for (const panel of copy.concat) panel.width = each;
    } else if (copy.usermeta?.fits) {
      copy.width = copy.height = Math.min(copy.width, room - 80);
    } else if (copy.usermeta?.beside) {
      copy.width = Math.max(150, Math.min(copy.width, room - copy.usermeta.beside));
    }
    return copy;
  };

  const options = { mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false,
    tooltip: { disableDefaultStyle: true } };
  const views = new Map();

  const draw = async (place, spec) => {
    place.classList.toggle("alone", !spec.concat);
    const view = await vegaEmbed(place, fitted(spec, place.parentElement.clientWidth), options);
    views.get(place)?.finalize();
    views.set(place, view);
    place.dataset.drawn = "yes";
  };

  // A picture of its own has its own ink and paper.
  const picture = async (figure, form) => {
    const name = figure.dataset.figure;
    const specs = data.figures[name];
    for (const [at, spec] of specs.entries()) {
      const place = made("div", null, {});
      const alone = { ...structuredClone(spec), config: data.alone };
      const { view } = await vegaEmbed(place, alone, options);
      const file = `${name}${specs.length > 1 ? `-${at + 1}` : ""}.${form}`;
      save(file, form === "svg" ? await view.toSVG() : await view.toImageURL("png", 2), "image/svg+xml");
      view.finalize();
    }
  };

  // Its data: the rows of all its charts, without what only serves the drawing.
  const dataOf = (name) => {
    const rows = data.figures[name].flatMap((spec) =>
      Object.values(spec.datasets).flat().filter((row) => Object.keys(row).length).map((row) => ({ ...(spec.usermeta?.called ? { chart: spec.usermeta.called } : {}), ...row })));
    const columns = [...new Set(rows.flatMap(Object.keys))].filter((column) => !data.hidden.includes(column));
    return [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  };

  const MOST = 500;
  const asTable = (rows) => {
    const table = made("table", null);
    const head = table.createTHead().insertRow();
    const left = rows[0].map((_, at) => rows.slice(1).some((row) => typeof row[at] === "string"));
    rows[0].forEach((name, at) => head.append(made("th", name, left[at] ? { class: "left", scope: "col" } : { scope: "col" })));
    const body = table.createTBody();
    for (const row of rows.slice(1, 1 + MOST)) {
      const line = body.insertRow();
      row.forEach((cell, at) => line.append(made("td", cell === null || cell === undefined ? "" : String(cell), left[at] ? { class: "left" } : {})));
    }
    makeSortable(table);
    return table;
  };

  const figures = [...document.querySelectorAll("figure[data-figure]")];
  for (const figure of figures) {
    const name = figure.dataset.figure;
    const rows = dataOf(name);
    const tools = made("div", null, { class: "tools" });
    tools.append(
      button("Data as CSV", `save the data of ${name} as CSV`, () => save(`${name}.csv`, csvOf(rows), "text/csv")),
      button("SVG", `save ${name} as SVG`, () => picture(figure, "svg")),
      button("PNG", `save ${name} as PNG`, () => picture(figure, "png")),
    );
    const details = made("details", null);
    details.append(made("summary", `Data: ${(rows.length - 1).toLocaleString("en")} rows`));
    details.addEventListener("toggle", () => {
      if (!details.open || details.querySelector("table")) return;
      const wide = made("div", null, { class: "wide", tabindex: "0", role: "region", "aria-label": `data of ${name}` });
      wide.append(asTable(rows));
      details.append(wide);
      if (rows.length - 1 > MOST) details.append(made("p", `The first ${MOST} rows; the CSV has all.`));
    });
    figure.append(tools, details);
  }

  const all = async () => {
    for (const figure of figures) {
      const places = figure.querySelectorAll(".chart");
      for (const [at, spec] of data.figures[figure.dataset.figure].entries()) await draw(places[at], spec);
    }
    document.documentElement.dataset.ready = "yes";
  };

  let width = document.body.clientWidth;
  let waiting = 0;
  let busy = all();
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (Math.abs(document.body.clientWidth - width) < 8) return;
      width = document.body.clientWidth;
      busy = busy.then(all);
    }, 200);
  });
})();

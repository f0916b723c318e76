// Where the value of a run comes from: from the subtopics of its documents, and rank by rank.

import { el, filledBy, shown } from "./dom.js";
import { ask } from "./source.js";
import { sectionOf, table } from "./tables.js";

const WORTH =
  "A cell is what a document is worth for a subtopic: 1 for the first on it and, by α = 0.5, 0.5 for the second, 0.25 for the third; empty if it is not about it.";

/** Documents by subtopics: what each subtopic is worth where it is covered, and what the document contributes. */
export function subtopicMatrix({ measure, value, names, rows }, { name: run, documents, colour }) {
  const lines = rows.map(([id, cells, share], i) => ({ title: documents[i]?.title?.join("") || id, cells, share, i }));
  const columns = names.map((title, n) => ({
    title,
    key: `subtopic ${title}`,
    numeric: true,
    value: ({ cells }) => cells[n],
    cell: ({ cells }) => (cells[n] === null ? "" : Number(cells[n].toFixed(3))),
    style: ({ cells }) => ({ "--worth": `${Math.round(65 * (cells[n] ?? 0))}%` }),
    className: () => "worth",
  }));
  const nameOf = ({ i, title }) => [el("small", `${i + 1} `), title],
    document = { title: "document", value: ({ i }) => i, cell: nameOf },
    contribution = { title: "contributes", numeric: true, value: ({ share }) => share || null };
  const others = rows.some(([, , share]) => share !== null) ? [contribution] : [];
  return el(
    "section.matrix",
    el("h3", { style: { "--colour": colour } }, `${run}, ${measure.label} ${shown(value)}: subtopics`),
    table([document, ...columns, ...others], lines, { label: `Documents of ${run} by subtopic`, kind: "subtopics" }),
  );
}

/** A place for matrices, if there are any, with what their cells mean. */
export function matrixPlace(matrices) {
  return el("div.matrices", matrices, matrices.length > 0 && el("p.hint", WORTH));
}

/** A place where `show(run)` explains, rank by rank, how the value of a run was computed. */
export function explanationPlace(requestOf) {
  return filledBy(el("div"), async (run) => {
    const { title, sections } = await ask("explanation", requestOf(run));
    const attributes = { "aria-label": title, tabindex: -1 };
    return [el("section.explanation", attributes, el("h2", title), sections.map(sectionOf))];
  });
}

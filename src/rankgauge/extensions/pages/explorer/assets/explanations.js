// Where the value of a run comes from: from the subtopics of its documents, and rank by rank.

import { el, shown } from "./dom.js";
import { ask } from "./source.js";
import { sectionOf, table } from "./tables.js";

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
  return el(
    "section.matrix",
    el("h3", { style: { "--colour": colour } }, `${run}, ${measure.label} ${shown(value)}: subtopics`),
    table([document, ...columns, contribution], lines, { label: `Documents of ${run} by subtopic`, kind: "subtopics" }),
  );
}

/** How the value of a run was computed, rank by rank. */
async function explanation(request) {
  const { title, sections } = await ask("explanation", request);
  return el("section.explanation", { "aria-label": title, tabindex: -1 }, el("h2", title), sections.map(sectionOf));
}

/** A place for the explanation of a run's value, which `show(run)` fills; the last run that was asked for stays. */
export function explanationPlace(requestOf) {
  const element = el("div");
  let asked = null;
  async function show(run) {
    asked = run;
    const part = await explanation(requestOf(run)).catch(({ message }) => el("p.error", { role: "alert" }, message));
    if (asked === run) element.replaceChildren(part);
  }
  return { element, show };
}

// What a change does: values before and after, curves, and what would help most.

import { button, effectOf, el, select, signed } from "./dom.js";
import { documentName, gradeBox } from "./documents.js";
import { REFERENCE, curvePanels, lineLegend } from "./linecharts.js";
import { matrixPlace, subtopicMatrix } from "./explanations.js";
import { table, whole } from "./tables.js";

/** A column of differences, coloured by whether they are better or worse; rows may have the direction of a measure. */
function differenceColumn(title, key, value, direction) {
  const cell = (row) => (value(row) === 0 ? "0" : signed(value(row))),
    className = (row) => effectOf(value(row), direction ?? row.direction);
  return { title, key, numeric: true, value, cell, className };
}

/** The values of the topic and the means over topics, before and after. */
export function valueTable({ measures, ...after }, before) {
  const rows = measures.map((measure, i) => ({ ...measure, i }));
  const columns = ["topic", "mean"].flatMap((of) => {
    const [was, is] = [({ i }) => before[of][i], ({ i }) => after[of][i]];
    const change = (row) => (was(row) === null || is(row) === null ? null : is(row) - was(row));
    return [
      { title: "before", key: `${of} before`, numeric: true, value: was },
      { title: "after", key: `${of} after`, numeric: true, value: is },
      differenceColumn("change", `${of} change`, change),
    ];
  });
  const groups = Object.entries({ "": 1, "this topic": 3, "mean over topics": 3 }),
    options = { label: "Values before and after", kind: "values", groups };
  return table([{ title: "measure", value: ({ label }) => label }, ...columns], rows, options);
}

/** The documents that would help most, each with a button that moves it. */
function helpTable({ rows }, direction, { documents, names, levels, now }, act) {
  const nameOf = ([number]) =>
    el("span.doc", gradeBox(now.grades[number], levels), documentName(names[number], documents[number]));
  const mover = ([document, , rank]) => {
    const name = `Move ${names[document]} to rank ${rank}`;
    return button("Move", () => act({ kind: "move", document, rank }), { "aria-label": name });
  };
  const columns = [
    { title: "document", value: ([number]) => names[number], cell: nameOf },
    whole("rank", (row) => row[1]),
    whole("to", (row) => row[2]),
    differenceColumn("brings", "brings", (row) => row[3], direction),
    { title: "", key: "move", value: () => "", cell: mover },
  ];
  return table(columns, rows, { label: "What would help most", kind: "helps" });
}

/** The list of what would help most; `closeHalf` makes the moves that close half of the gap to the ideal ranking. */
export function helpList({ helps, measures }, state, { act, by, closeHalf }) {
  const direction = measures.find(({ text }) => text === helps.by)?.direction;
  const nothing = helps.error ?? (!helps.rows.length && !helps.in_vain && "Every relevant document is at the top."),
    others = helps.in_vain === 1 ? "1 relevant document" : `any of ${helps.in_vain} relevant documents`,
    alone = `Moving ${helps.rows.length ? others.replace("relevant", "other relevant") : others} up, alone, would not help.`;
  const texts = measures.map(({ text, label }) => [text, label]),
    choice = { "aria-label": "Measure of what would help most", onchange: ({ target }) => by(target.value) };
  return [
    el("h2", "What would help most, by ", select(texts, helps.by, choice)),
    el("p.hint", "The best rank of each relevant document above its own, found by trying them, and what that brings."),
    helps.rows.length > 0 &&
      el("p.half", button("Close half of the gap", closeHalf), el("span.hint", { role: "status" }, state.half)),
    helps.rows.length > 0 && helpTable(helps, direction, state, act),
    nothing && el("p.empty", nothing),
    helps.left_out > 0 && el("p.hint", `and ${helps.left_out} more`),
    helps.in_vain > 0 && el("p.hint", alone),
  ].filter(Boolean);
}

/** The ranking by subtopics as it is after the changes, beside the ideal one. */
export function whatIfMatrices({ matrix }) {
  const sideOf = ({ value, rows }, i) => {
    const [name, colour] = [["This ranking", "var(--mark)"], ["The ideal ranking", "var(--soft)"]][i];
    return subtopicMatrix({ ...matrix, value, rows }, { name, documents: [], colour });
  };
  return matrixPlace(matrix?.sides.map(sideOf) ?? []);
}

/** The curves before and after. */
export function whatIfCurves(place, { curves }, state) {
  const charts = curves.map(({ title, before, after, ideal }) => {
    const best = ideal ? [{ name: "ideal", colour: "var(--soft)", dash: [1, 3], values: ideal }] : [],
      now = { name: "after", colour: "var(--mark)", values: after };
    return { title, lines: [{ ...REFERENCE, name: "before", values: before }, now, ...best] };
  });
  const relevant = state.now.grades.filter((grade) => grade !== null && grade >= 1).length;
  if (state.panels && state.charted === charts[0].title) return state.panels.draw(charts, relevant);
  state.charted = charts[0].title;
  state.panels = curvePanels(charts, relevant, (rank) => state.panels.mark(rank));
  return place.replaceChildren(lineLegend(charts[0].lines), state.panels.element);
}

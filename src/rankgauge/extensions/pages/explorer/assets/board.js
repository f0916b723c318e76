// A ranking beside the ideal one, in large type, rank by rank: what each document adds to a measure.

import { button, change, el, shown, withModifier } from "./dom.js";
import { documentName, gradeBox } from "./documents.js";
import { REFERENCE, curvePanels, lineLegend } from "./linecharts.js";

let onKey = null; // of the board that is shown
addEventListener("keydown", (event) => onKey?.(event));

/** What a rank adds, as a sum: gain ÷ discount; numbers have more places where they are small. */
function sumOf({ gain, discount, part, belongs }, most) {
  const short = (number) => Number(number.toFixed(2)),
    added = part?.toFixed(most < 1 ? 4 : 2).replace("-", "−");
  if (part === null) return "";
  if (belongs) return `${added} (ideal: ${[...new Set(belongs)].join(" to ")})`;
  return gain && discount && discount !== 1 ? `${short(gain)} ÷ ${short(discount)} = ${added}` : added;
}

/** A rank: its document, what that is worth for each subtopic, and a bar for what it adds. */
function rung(row, i, names, levels, most) {
  const { name, document, grade, part, worth } = row,
    size = `${(100 * Math.abs(part ?? 0)) / most}%`,
    cells = worth.map((each, n) => {
      const style = { "--worth": `${Math.round(65 * (each ?? 0))}%` };
      return el("span.worth", { style, title: `subtopic ${names[n]}` }, each === null ? "" : Number(each.toFixed(2)));
    });
  return el(
    "li.rung",
    el("span.doc-rank", i + 1),
    gradeBox(grade, levels),
    documentName(name, document),
    cells.length > 0 && el("span.worths", cells),
    el("span.part", sumOf(row, most)),
    el(part < 0 ? "span.bar.below" : "span.bar", { style: { "--part": size } }),
  );
}

/**
 * A board for the answer `lecture`: an element that the arrow keys step through, from rank `at` on; `onStep(at)` follows.
 */
export function lectureBoard({ measure, total, value, levels, names, rows, best }, at, onStep) {
  const most = Math.max(...[...rows, ...best].map(({ part }) => Math.abs(part ?? 0)), 1e-9),
    label = measure.label,
    plain = label.replace(/@\d+$/, ""),
    sumName = total || plain;
  const rungs = [rows, best].map((some) => some.map((row, i) => rung(row, i, names, levels, most))),
    text = el("p.now", { role: "status" });
  const valuesOf = (list, key) => list.map((row) => row[key]),
    linesOf = (key, list, ideal) =>
      [
        { name: "this ranking", colour: "var(--mark)", values: valuesOf(rows, key) },
        { ...REFERENCE, name: "ideal", values: valuesOf(list, ideal) },
      ].filter(({ values }) => values.some((each) => each !== null));
  const charts = [
    { title: sumName, lines: linesOf("sum", best, "sum") },
    { title: plain, lines: total ? linesOf("value", rows, "ideal") : [] },
  ].filter(({ lines }) => lines.length);
  const panels = curvePanels(charts, 0, () => {});
  const back = button("←", () => show(at - 1), { "aria-label": "Back" }),
    next = button("→", () => show(at + 1), { "aria-label": "Next rank" });

  function show(rank) {
    at = Math.max(0, Math.min(rank, rows.length));
    for (const some of rungs) some.forEach((row, i) => change(row, { "aria-hidden": String(i >= at) }));
    const row = rows[at - 1],
      of = best[at - 1]?.sum ?? null,
      sums = row && row.sum !== null && `${sumName} ${shown(row.sum)}${of === null ? "" : ` of ${shown(of)}`}`,
      reached = row && total && row.value !== null && `${plain}@${at} = ${shown(row.value)}`;
    const added = row && `Rank ${at} adds ${sumOf(row, most) || "nothing"}`,
      start = rows.length ? "The right arrow key goes to rank 1" : "The ranking is empty";
    const words = [added || start, sums, reached].filter(Boolean).join("; ");
    text.textContent = `${words.replace(/-(?=\d)/g, "−")}.`;
    back.disabled = !at;
    next.disabled = at === rows.length;
    panels.mark(at || null);
    onStep(at);
  }

  const element = el(
    "section.board",
    el("h2", `${label} = ${shown(value)} `, el("span.steps", back, next)),
    text,
    el(
      "div.halves",
      el("div", el("h3", "This ranking"), el("ol.rungs", rungs[0])),
      el("div", el("h3", "The ideal ranking"), el("ol.rungs", rungs[1])),
      el("div.panels", lineLegend(charts[0]?.lines ?? []), panels.element),
    ),
  );
  onKey = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key],
      others = withModifier(event) || event.target.matches?.("input, select, textarea, [role]");
    if (!step || others || !element.isConnected) return;
    event.preventDefault();
    show(at + step);
  };
  show(at);
  return element;
}

// What a change does: values before and after, curves, and what would help most.

import { el, shown, signed } from "./dom.js";
import { documentName, gradeBox } from "./documents.js";
import { CURVE_TITLES, curvePanels, lineLegend } from "./linecharts.js";

/** A difference, coloured by whether it is better or worse. */
function differenceCell(before, after, direction) {
  const difference = before === null || after === null ? null : after - before;
  const better = (difference ?? 0) * (direction || 1);
  return el(
    "td",
    { className: `number ${better > 0 ? "better" : better < 0 ? "worse" : ""}` },
    difference === null ? "–" : difference === 0 ? "0" : signed(difference),
  );
}

/** The table of values, and the list of what would help most. */
export function effectTables(answer, state, { act, by }) {
  const head = (text, numeric = true) => el("th", { scope: "col", className: numeric ? "number" : "" }, text);
  const values = el(
    "table.values",
    el(
      "thead",
      el(
        "tr",
        el("td"),
        ["this topic", "mean over topics"].map((of) => el("th.group", { scope: "colgroup", colspan: 3 }, of)),
      ),
      el("tr", head("measure", false), ["topic", "mean"].map(() => [head("before"), head("after"), head("change")])),
    ),
    el(
      "tbody",
      answer.measures.map(({ label, direction }, i) =>
        el(
          "tr",
          el("th", { scope: "row" }, label),
          ["topic", "mean"].map((of) => {
            const [before, after] = [state.before, answer].map((each) => each[of][i]);
            return [
              el("td.number", shown(before)),
              el("td.number", shown(after)),
              differenceCell(before, after, direction),
            ];
          }),
        ),
      ),
    ),
  );
  const { helps } = answer;
  const direction = answer.measures.find(({ text }) => text === helps.by)?.direction;
  const chooser = el(
    "select",
    { onchange: (event) => by(event.target.value) },
    answer.measures.map(({ text, label }) => el("option", { value: text, selected: text === helps.by }, label)),
  );
  const rows = helps.rows.map(([document, rank, to, effort, difference]) =>
    el(
      "tr",
      el(
        "td.document",
        el("span.doc", gradeBox(state.now.grades[document], state.levels), documentName(state.documents[document])),
      ),
      el("td.number", rank ?? "–"),
      el("td.number", to),
      el("td.number", effort ?? "–"),
      differenceCell(0, difference, direction),
      el(
        "td",
        el(
          "button",
          {
            "aria-label": `Move ${state.documents[document]} to rank ${to}`,
            onclick: () => act({ kind: "move", document, rank: to }),
          },
          "Move",
        ),
      ),
    ),
  );
  return [
    el("div.table-scroll", values),
    el("h3", "What would help most, by ", chooser),
    el(
      "p.hint",
      "Each relevant document that is not where the ideal ranking has one of its grade: what moving it to the nearest such rank would bring, and the effort that it costs now, its relative position RP in Twist.",
    ),
    helps.error
      ? el("p.empty", helps.error)
      : rows.length
        ? el(
            "div.table-scroll.low",
            el(
              "table.helps",
              el(
                "thead",
                el(
                  "tr",
                  head("document", false),
                  head("rank"),
                  head("to"),
                  head("effort"),
                  head("brings"),
                  head("", false),
                ),
              ),
              el("tbody", rows),
            ),
          )
        : !helps.in_vain && el("p.empty", "Every relevant document is where it belongs."),
    helps.left_out > 0 && el("p.hint", `and ${helps.left_out} more`),
    helps.in_vain > 0 &&
      el(
        "p.hint",
        `Moving ${helps.in_vain === 1 ? "1 other document" : `any of ${helps.in_vain} other documents`} alone would change nothing.`,
      ),
  ].filter(Boolean);
}

/** The curves before and after. */
export async function whatIfCurves(place, answer, state) {
  const before = state.before.curves,
    after = answer.curves;
  const lines = (name) => [
    { name: "before", values: before[name], colour: "#8a939c", dash: [4, 3] },
    { name: "after", values: after[name], colour: "#0072b2" },
  ];
  const relevant = state.now.grades.filter((grade) => grade !== null && grade >= 1).length;
  const charts = Object.keys(CURVE_TITLES).map((name) => ({ title: CURVE_TITLES[name], lines: lines(name) }));
  if (state.panels) return state.panels.update(charts, relevant);
  const panels = curvePanels(charts, relevant, (rank) => panels.mark(rank), 230);
  state.panels = panels;
  return place.replaceChildren(lineLegend(charts[0].lines), panels.element);
}

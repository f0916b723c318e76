// Curves over ranks that share a cursor with each other and with rankings.

import { el, svg } from "./dom.js";
import { axesOf, linePath, pictureOf, reachOf } from "./plot.js";

export const COLUMN_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
export const CURVE_TITLES = { DCG: "Discounted cumulated gain", P: "Precision", CRP: "Cumulated relative position" };

const HIGH = 200;

/** One chart of lines [{name, values, colour, dash}]: {element, draw(lines, base), mark(rank)}; see `curvePanels`. */
function curveChart(title, width, onRank) {
  const picture = pictureOf(width, HIGH, { role: "img", "aria-label": title });
  let axes = null,
    cursor = null;
  const ranksOf = (lines) => Math.max(...lines.map((line) => line.values.length), 2);
  picture.addEventListener("pointermove", (event) => {
    const rank = Math.round(axes.x.invert(event.clientX - picture.getBoundingClientRect().left));
    if (rank >= 1 && rank <= axes.x.domain[1]) onRank(rank);
  });
  picture.addEventListener("pointerleave", () => onRank(null));
  return {
    element: el("div.chart", picture),
    draw(lines, base) {
      const depth = ranksOf(lines),
        ranks = Array.from({ length: depth }, (_, i) => i + 1);
      axes = axesOf({
        width,
        height: HIGH,
        title,
        xAxis: { domain: [1, depth], title: "rank", least: 1 },
        yAxis: { domain: reachOf(lines.map((line) => line.values), { always: [0], round: 4 }), ticks: 4 },
      });
      const { x, y, top, bottom } = axes;
      cursor = svg("line.cursor", { y1: top, y2: bottom, visibility: "hidden" });
      picture.replaceChildren(
        ...axes.parts.flat(2).filter(Boolean),
        base > 0 && base <= depth ? svg("line.rule", { x1: x(base), x2: x(base), y1: top, y2: bottom }) : "",
        ...lines.map(({ values, colour, dash }) =>
          svg("path.line", {
            d: linePath(ranks, values, x, y, { step: true }),
            style: { stroke: colour, "stroke-dasharray": dash ?? [] },
          }),
        ),
        cursor,
      );
    },
    mark(rank) {
      const there = rank !== null && rank >= 1 && rank <= axes.x.domain[1];
      cursor.setAttribute("visibility", there ? "visible" : "hidden");
      if (there) for (const name of ["x1", "x2"]) cursor.setAttribute(name, axes.x(rank));
    },
  };
}

/** What tells the lines of charts apart: a stroke and a name for each. */
export function lineLegend(lines) {
  return el(
    "ul.lines",
    lines.map(({ name, colour, dash }) =>
      el("li", el("span", { className: dash ? "stroke dashed" : "stroke", style: { "--colour": colour } }), name),
    ),
  );
}

/**
 * Charts beside each other. `mark(rank)` moves their cursor, `update` replaces their lines, and `onRank` is called for
 * the rank under the pointer.
 */
export function curvePanels(charts, base, onRank, width = 300) {
  const readout = el("p.readout", { "aria-live": "off" });
  const drawn = charts.map(({ title }) => curveChart(title, width + 40, onRank));
  const update = (others, relevant) => {
    charts = others;
    drawn.forEach((chart, i) => chart.draw(others[i].lines, relevant));
  };
  update(charts, base);
  const mark = (rank) => {
    for (const chart of drawn) chart.mark(rank);
    readout.textContent =
      rank === null
        ? ""
        : `Rank ${rank}: ` +
          charts
            .map(
              ({ title, lines }) =>
                `${title} ${lines.map(({ name, values }) => `${name} ${(values[rank - 1] ?? null) === null ? "–" : Number(values[rank - 1].toFixed(4))}`).join(", ")}`,
            )
            .join("; ");
  };
  return {
    element: el("div.curves-of-ranks", el("div.charts", drawn.map((chart) => chart.element)), readout),
    mark,
    update,
  };
}

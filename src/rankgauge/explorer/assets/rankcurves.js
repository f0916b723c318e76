// Curves over ranks that share a cursor with each other and with rankings.

import { el } from "./dom.js";
import { draw } from "./charts.js";

export const COLUMN_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
export const CURVE_TITLES = { DCG: "Discounted cumulated gain", P: "Precision", CRP: "Cumulated relative position" };

/** The data of one chart, by name; lines are [{name, values, colour, dash}]. */
function curveData(lines, base) {
  const depth = Math.max(...lines.map((line) => line.values.length), 2);
  return {
    lines: lines.flatMap(({ name, values }) => values.map((value, i) => ({ name, rank: i + 1, value }))),
    ranks: Array.from({ length: depth }, (_, i) => ({ rank: i + 1 })),
    base: base > 0 && base <= depth ? [{ rank: base }] : [],
  };
}

/** The specification of one chart. */
function curveSpec(title, lines, base, width = 300, height = 160) {
  const data = Object.fromEntries(
    Object.entries(curveData(lines, base)).map(([name, values]) => [name, { name, values }]),
  );
  const names = lines.map((line) => line.name);
  const x = {
    field: "rank",
    type: "quantitative",
    scale: { zero: false, nice: false },
    axis: { title: "rank", tickMinStep: 1, format: "d", grid: false },
  };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    width,
    height,
    title: { text: title, anchor: "start", fontSize: 12 },
    params: [{ name: "cursor", value: -1 }],
    layer: [
      { data: data.base, mark: { type: "rule", strokeDash: [2, 3], color: "#999" }, encoding: { x } },
      {
        data: data.lines,
        mark: { type: "line", interpolate: "step-after", strokeWidth: 1.6, clip: true },
        encoding: {
          x,
          y: { field: "value", type: "quantitative", title: null, axis: { minExtent: 30, tickCount: 4 } },
          color: {
            field: "name",
            type: "nominal",
            legend: null,
            scale: { domain: names, range: lines.map((line) => line.colour) },
          },
          strokeDash: {
            field: "name",
            type: "nominal",
            legend: null,
            scale: { domain: names, range: lines.map((line) => line.dash ?? [1, 0]) },
          },
        },
      },
      {
        data: data.ranks,
        transform: [{ filter: "datum.rank === cursor" }],
        mark: { type: "rule", color: "#888", strokeWidth: 1 },
        encoding: { x },
      },
    ],
  };
}

/** What tells the lines of charts apart: a stroke and a name for each. */
export function lineLegend(lines) {
  return el(
    "ul",
    { className: "lines" },
    lines.map(({ name, colour, dash }) =>
      el("li", {}, el("span", { className: dash ? "stroke dashed" : "stroke", style: { "--colour": colour } }), name),
    ),
  );
}

/**
 * Charts beside each other. `mark(rank)` moves their cursor, `update` replaces their lines, and `onRank` is called for
 * the rank under the pointer.
 */
export async function curvePanels(charts, base, onRank, width = 300) {
  const readout = el("p", { className: "readout", "aria-live": "off" });
  const places = charts.map(() => el("div", { className: "chart" }));
  const views = await Promise.all(
    charts.map(({ title, lines }, i) => draw(places[i], curveSpec(title, lines, base, width))),
  );
  const mark = (rank) => {
    for (const view of views) view.signal("cursor", rank ?? -1).runAsync();
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
  const update = (others, relevant) => {
    charts = others;
    return Promise.all(
      views.map((view, i) =>
        Object.entries(curveData(others[i].lines, relevant))
          .reduce((each, [name, values]) => each.data(name, values), view)
          .runAsync(),
      ),
    );
  };
  for (const view of views) {
    view.addEventListener("mousemove", (event) => {
      const box = view.container().querySelector("svg").getBoundingClientRect();
      const scale = view.scale("x"),
        x = event.clientX - box.left - view.origin()[0];
      const rank = Math.round(scale.invert(x)),
        [first, last] = scale.domain();
      if (rank >= first && rank <= last) onRank(rank);
    });
    view.addEventListener("mouseout", (event) => {
      if (!event.relatedTarget || !view.container().contains(event.relatedTarget)) onRank(null);
    });
  }
  return {
    element: el("div", { className: "curves-of-ranks" }, el("div", { className: "charts" }, places), readout),
    mark,
    update,
  };
}

// The public leaderboard: runs filtered by what is known about them, a table to sort, and a chart of two columns.

import { choose, counted, el, svg } from "./dom.js";
import { axesOf, linePath, pointPlot, reachOf } from "./plot.js";
import { table, whole } from "./tables.js";

const { measures, columns, runs, interval } = JSON.parse(document.getElementById("data").textContent);
const MOST = 20, // values of a column to choose from
  LABELS = 12; // names beside points
const numbers = [...columns.keys()].filter((i) => columns[i].numeric),
  valuesOf = (i) => [...new Set(runs.map(({ about }) => about[i]))].filter((value) => value !== null).sort(),
  filters = [...columns.keys()].filter((i) => !columns[i].numeric && valuesOf(i).length <= MOST);
const state = { kept: {}, x: String(numbers[0]), y: "0", way: "lower" };
const [size, board, chart] = [el("p.size", { role: "status" }), el("div"), el("div")];

/** The points that no other beats in both directions, in order along x. */
function frontOf(points, xWay, yWay) {
  const order = [...points].sort((a, b) => xWay * (b.x - a.x) || yWay * (b.y - a.y));
  let best = -Infinity;
  return order.filter(({ y }) => yWay * y > best && ((best = yWay * y), true));
}

/** Points with names: those of the front, which a line joins, have theirs beside them. */
function chartOf(points, xTitle, yTitle, front) {
  const [xs, ys] = ["x", "y"].map((key) => (some) => some.map((point) => point[key])),
    axisOf = (values, title) => ({ domain: reachOf([values], { round: 5 }), title, grid: true });
  const axes = axesOf({
    ...{ width: 620, height: 380, above: 18 },
    ...{ xAxis: axisOf(xs(points), xTitle), yAxis: axisOf(ys(points), yTitle) },
  });
  const nameOf = ({ name, x, y }) => {
    const [side, anchor] = axes.x(x) > 420 ? [-7, "end"] : [7, "start"];
    return svg("text", { x: axes.x(x) + side, y: axes.y(y) - 6, "text-anchor": anchor }, name);
  };
  const spoken = el("p.unseen", { "aria-live": "polite" }),
    lines = ({ name, x, y }) => [name, `${xTitle}: ${x}`, `${yTitle}: ${y.toFixed(4)}`],
    order = [...points].sort((a, b) => a.x - b.x);
  const { element } = pointPlot(axes, {
    label: `${yTitle} against ${xTitle}. Arrow keys go through runs.`,
    under: [
      svg("path.line.front", { d: linePath(xs(front), ys(front), axes.x, axes.y, { step: true }) }),
      front.length <= LABELS && front.map(nameOf),
    ],
    groups: [{ points: points.filter((point) => !front.includes(point)) }, { points: front, kind: "better" }],
    lines,
    next: (point, key) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      return step && order.at((order.indexOf(point) + step) % order.length);
    },
    step: (point) => (spoken.textContent = lines(point).join(", ")),
  });
  chart.replaceChildren(element, spoken);
}

const choice = (label, key, options) => {
  const set = (value) => show((state[key] = value));
  return choose(label, key, options, state[key], set);
};

function show() {
  const some = runs.filter(({ about }) => filters.every((i) => !state.kept[i] || about[i] === state.kept[i])),
    { x, y, way } = state;
  const titles = [
    { title: "run", value: ({ run }) => run },
    { ...whole("place", ({ place }) => place), lowFirst: true },
    ...measures.map((each, i) => ({
      ...each,
      numeric: true,
      lowFirst: each.direction < 0,
      value: (row) => row.means[i],
    })),
    { title: interval, value: (row) => row.interval },
    ...columns.map((each, i) => ({ ...each, value: (row) => row.about[i], cell: (row) => row.about[i] ?? "–" })),
  ];
  size.textContent = some.length < runs.length ? `${counted(some.length, "run")} of ${runs.length}` : "";
  board.replaceChildren(table(titles, some, { label: "Leaderboard", by: "place", down: false }));
  const points = some
    .map(({ run, about, means }) => ({ name: run, x: about[x] ?? null, y: means[y] }))
    .filter((point) => point.x !== null && point.y !== null);
  const front = frontOf(points, way === "lower" ? -1 : 1, measures[y].direction || 1);
  if (numbers.length) chartOf(points, columns[x].title, measures[y].title, front);
}

const kept = filters.map((i) =>
    choose(columns[i].title, `filter ${i}`, [["", "all"], ...valuesOf(i)], "", (value) =>
      show((state.kept[i] = value)),
    ),
  ),
  named = (list, places) => places.map((i) => [String(i), list[i].title]);
document.getElementById("board").replaceChildren(el("div.toolbar", kept), size, board);
if (numbers.length)
  document
    .getElementById("board")
    .append(
      el("h2", "Quality against cost"),
      el("p", "No other run is better in both respects than a run on the line."),
      el(
        "div.toolbar",
        choice("Upwards", "y", named(measures, [...measures.keys()])),
        choice("Across", "x", named(columns, numbers)),
        choice("Better across", "way", ["lower", "higher"]),
      ),
      chart,
    );
show();

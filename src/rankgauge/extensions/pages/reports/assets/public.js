// The public leaderboard: runs filtered by what is known about them, a table to sort, and a chart of two columns.

import { choose, counted, el, shown, svg } from "./dom.js";
import { axesOf, linePath, pointPlot, reachOf } from "./plot.js";
import { table, whole } from "./tables.js";

const { measures, columns, runs, interval } = JSON.parse(document.getElementById("data").textContent);
const MOST = 20, // values of a column to choose from
  LABELS = 12; // names beside points
const valuesOf = (column) =>
  [...new Set(runs.map(({ about }) => about[column]).filter((each) => each !== null))].sort();
const filters = columns.map((_, i) => i).filter((i) => !columns[i].numeric && valuesOf(i).length <= MOST);
const across = columns.map((_, i) => i).filter((i) => columns[i].numeric);
const state = { kept: {}, x: across[0], y: 0, way: "lower" };

/** The points that no other beats in both directions, in order along x. */
function frontOf(points, xWay, yWay) {
  const order = [...points].sort((a, b) => xWay * (b.x - a.x) || yWay * (b.y - a.y));
  let best = -Infinity;
  return order.filter(({ y }) => yWay * y > best && ((best = yWay * y), true));
}

function chartOf(shownRuns) {
  const { x, y, way } = state,
    points = shownRuns
      .map(({ run, about, means }) => ({ name: run, x: about[x], y: means[y] }))
      .filter((point) => point.x !== null && point.y !== null);
  const front = frontOf(points, way === "lower" ? -1 : 1, measures[y].direction || 1),
    ordered = [...points].sort((a, b) => a.x - b.x);
  const [xAxis, yAxis] = [
    { domain: reachOf([points.map((point) => point.x)], { round: 5 }), title: columns[x].title, grid: true },
    { domain: reachOf([points.map((point) => point.y)], { round: 5 }), title: measures[y].title, grid: true },
  ];
  const axes = axesOf({ width: 620, height: 380, xAxis, yAxis, above: 18 });
  const path = linePath(
    front.map((point) => point.x),
    front.map((point) => point.y),
    axes.x,
    axes.y,
    { step: true },
  );
  const nameOf = (point) => {
    const right = axes.x(point.x) > 420;
    return svg(
      "text",
      { x: axes.x(point.x) + (right ? -7 : 7), y: axes.y(point.y) - 6, "text-anchor": right ? "end" : "start" },
      point.name,
    );
  };
  const spoken = el("p.unseen", { "aria-live": "polite" }),
    lines = ({ name, x: across, y: up }) => [
      name,
      `${columns[x].title}: ${across}`,
      `${measures[y].title}: ${shown(up)}`,
    ];
  const { element } = pointPlot(axes, {
    label: `${measures[y].title} against ${columns[x].title}. Arrow keys go through runs.`,
    key: "chart",
    under: [svg("path.line.front", { d: path }), front.length <= LABELS && front.map(nameOf)],
    groups: [{ points: points.filter((point) => !front.includes(point)) }, { points: front, kind: "better" }],
    lines,
    next: (point, key) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      return step && ordered[point ? Math.max(0, Math.min(ordered.length - 1, ordered.indexOf(point) + step)) : 0];
    },
    step: (point) => (spoken.textContent = lines(point).join(", ")),
  });
  return [element, spoken];
}

function choice(label, key, options, value = state[key]) {
  return choose(label, key, options, String(value), (next) => {
    state[key] = key === "way" ? next : Number(next);
    show();
  });
}

const numbered = (list, places) => places.map((i) => [String(i), list[i].title]);
const board = el("div"),
  size = el("p.size", { role: "status" }),
  chart = el("div");
const kept = filters.map((i) =>
  choose(columns[i].title, `filter ${i}`, [["", "all"], ...valuesOf(i)], "", (value) => {
    state.kept[i] = value;
    show();
  }),
);

function show() {
  const some = runs.filter(({ about }) => filters.every((i) => !state.kept[i] || about[i] === state.kept[i]));
  const all = [
    { title: "run", value: ({ run }) => run },
    { ...whole("place", ({ place }) => place), lowFirst: true },
    ...measures.map(({ title, direction }, i) => ({
      title,
      numeric: true,
      lowFirst: direction < 0,
      value: ({ means }) => means[i],
    })),
    { title: interval, value: (row) => row.interval },
    ...columns.map(({ title, numeric }, i) => ({
      title,
      numeric,
      value: ({ about }) => about[i],
      cell: ({ about }) => about[i] ?? "–",
    })),
  ];
  size.textContent = some.length < runs.length ? `${counted(some.length, "run")} of ${runs.length}` : "";
  board.replaceChildren(table(all, some, { label: "Leaderboard", by: "place", down: false }));
  if (across.length) chart.replaceChildren(...chartOf(some));
}

document.getElementById("board").replaceChildren(el("div.toolbar", kept), size, board);
if (across.length)
  document
    .getElementById("board")
    .append(
      el("h2", "Quality against cost"),
      el("p", "No other run is better in both respects than a run on the line."),
      el(
        "div.toolbar",
        choice("Upwards", "y", numbered(measures, [...measures.keys()])),
        choice("Across", "x", numbered(columns, across)),
        choice("Better across", "way", ["lower", "higher"]),
      ),
      chart,
    );
show();

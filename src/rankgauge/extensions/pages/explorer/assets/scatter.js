// Two runs, topic by topic: above the diagonal the second is higher.

import { el, shown, signed, svg } from "./dom.js";
import { axesOf, dotsPath, pictureOf, pointPlot } from "./plot.js";

/** The points of which the second run is better, worse or neither, as groups of a plot. */
function groupsOf(points, better) {
  const side = ({ x, y }) => (y === x || !better ? "same" : (y - x) * better > 0 ? "better" : "worse");
  return ["same", "worse", "better"].map((kind) => ({ kind, points: points.filter((point) => side(point) === kind) }));
}

/** A scatter of points {name, x, y, note?}; `better` is the direction of the measure; see `pointPlot`. */
export function scatterPlot({ label, points, domain, titles, better, open, marked = "" }) {
  const known = points.filter(({ x, y }) => x !== null && y !== null);
  const order = [...known].sort((a, b) => b.y - b.x - (a.y - a.x));
  const short = (title) => (title.length > 48 ? `${title.slice(0, 47)}…` : title);
  const [xAxis, yAxis] = titles.map((title) => ({ domain, title: short(title), grid: true }));
  const axes = axesOf({ width: 438, height: 434, xAxis, yAxis });
  const [[left, right], [bottom, top]] = [axes.x, axes.y].map((scale) => domain.map(scale));
  const lines = (point) => [
    point.note || point.name,
    point.note && `topic ${point.name}`,
    `${titles[0]}: ${shown(point.x)}`,
    `${titles[1]}: ${shown(point.y)}`,
    `difference ${signed(point.y - point.x)}`,
  ];
  const spoken = el("p.unseen", { "aria-live": "polite" });
  const plot = pointPlot(axes, {
    label: `${label}. Arrow keys go through topics by difference, Enter opens one.`,
    key: "scatter",
    under: svg("line.diagonal", { x1: left, y1: bottom, x2: right, y2: top }),
    groups: groupsOf(known, better).map(({ kind, points: some }) => ({
      points: some,
      kind: `${kind} ${known.length > 1000 ? "many" : ""}`,
    })),
    lines,
    open,
    next: (point, key) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
      return step && order[point ? Math.max(0, Math.min(order.length - 1, order.indexOf(point) + step)) : 0];
    },
    step: (point) => (spoken.textContent = lines(point).filter(Boolean).join(", ")),
  });
  plot.select(known.find(({ name }) => name === marked) ?? null);
  return el("div", plot.element, spoken);
}

/** The same in small, to look at beside others: points {x, y} that both are numbers. */
export function smallScatter({ label, points, domain, better }) {
  const axis = { domain, ticks: 2, grid: true },
    axes = axesOf({ width: 150, height: 140, xAxis: axis, yAxis: axis });
  const [[left, right], [bottom, top]] = [axes.x, axes.y].map((scale) => domain.map(scale));
  return pictureOf(
    axes.width,
    axes.height,
    { role: "img", "aria-label": label },
    axes.parts,
    svg("line.diagonal", { x1: left, y1: bottom, x2: right, y2: top }),
    groupsOf(points, better).map(({ kind, points: some }) =>
      svg(`path.dots.${kind}`, { d: dotsPath(some, axes.x, axes.y) }),
    ),
  );
}

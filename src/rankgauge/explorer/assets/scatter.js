// Two runs, topic by topic: above the diagonal the second is higher.

import { el, shown, signed, svg } from "./dom.js";
import { dotsPath, encircle, nearestPoint, pointing, ticksOf } from "./plot.js";
import { showTip } from "./tips.js";

const SIDE = 380,
  EDGE = 46,
  NEAR = 9;

/**
 * A scatter of points {name, x, y, note?}; `better` is the direction of the measure; `open(point)` is called by a click or
 * Enter. Points are the dots of three paths, since there may be thousands.
 */
export function scatterPlot({ label, points, domain, titles, better, open, marked = "" }) {
  const [low, high] = domain,
    at = (value) => ((value - low) / (high - low || 1)) * SIDE;
  const [left, top] = [(x) => EDGE + at(x), (y) => 8 + SIDE - at(y)];
  const known = points.filter(({ x, y }) => x !== null && y !== null);
  const order = [...known].sort((a, b) => b.y - b.x - (a.y - a.x));
  const side = ({ x, y }) => (y === x || !better ? "same" : (y - x) * better > 0 ? "better" : "worse");
  const dots = ["same", "worse", "better"].map((kind) =>
    svg("path", {
      class: `dots ${kind}${known.length > 1000 ? " many" : ""}`,
      d: dotsPath(known.filter((point) => side(point) === kind), left, top),
    }),
  );
  const lines = (point) => [
    point.name,
    point.note,
    `${titles[0]}: ${shown(point.x)}`,
    `${titles[1]}: ${shown(point.y)}`,
    `difference ${signed(point.y - point.x)}`,
  ];
  const short = (title) => (title.length > 48 ? `${title.slice(0, 47)}…` : title);
  const spoken = el("p.unseen", { "aria-live": "polite" }),
    ticks = ticksOf(domain);
  const ring = svg("circle.ring", { r: 5, visibility: "hidden" }),
    mark = known.find(({ name }) => name === marked);
  const picture = svg(
    "svg.plot",
    {
      viewBox: `0 0 ${SIDE + EDGE + 12} ${SIDE + EDGE + 8}`,
      role: "application",
      "aria-roledescription": "scatter plot",
      "aria-label": `${label}. Arrow keys go through topics by difference, Enter opens one.`,
      tabindex: 0,
      "data-key": "scatter",
    },
    ticks.map((tick) => [
      svg("line.grid", { x1: left(tick), x2: left(tick), y1: 8, y2: 8 + SIDE }),
      svg("line.grid", { x1: EDGE, x2: EDGE + SIDE, y1: top(tick), y2: top(tick) }),
      svg("text", { x: left(tick), y: SIDE + 22, "text-anchor": "middle" }, tick),
      svg("text", { x: EDGE - 6, y: top(tick) + 4, "text-anchor": "end" }, tick),
    ]),
    svg("line.diagonal", { x1: left(low), y1: top(low), x2: left(high), y2: top(high) }),
    svg("text.title", { x: EDGE + SIDE / 2, y: SIDE + 42, "text-anchor": "middle" }, short(titles[0])),
    svg(
      "text.title",
      { transform: `translate(11 ${8 + SIDE / 2}) rotate(-90)`, "text-anchor": "middle" },
      short(titles[1]),
    ),
    dots,
    mark && svg("circle.ring.marked", { r: 6, cx: left(mark.x), cy: top(mark.y) }),
    ring,
  );
  let here = -1;
  const point = (each) => {
    encircle(ring, each, { x: left, y: top });
    picture.classList.toggle("pointing", Boolean(each));
  };
  pointing(picture, (event) => nearestPoint(event, picture, known, left, top, NEAR), { lines, mark: point, open });
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && here >= 0) open(order[here]);
    if (!step || !order.length) return;
    event.preventDefault();
    here = here < 0 ? 0 : Math.max(0, Math.min(order.length - 1, here + step));
    point(order[here]);
    const box = ring.getBoundingClientRect();
    showTip(lines(order[here]), box.left, box.bottom);
    spoken.textContent = lines(order[here]).filter(Boolean).join(", ");
  });
  return el("div", picture, spoken);
}

// Charts over two axes, drawn as few elements: a thousand lines or dots are one path.

import { change, svg, withModifier } from "./dom.js";
import { hideTip, showTip } from "./tips.js";

const ROUNDING = 1e-9; // of a value, which is no difference to show
const NEAR = 9; // pixels

/** Round values for an axis between two ends. */
function ticksOf([low, high], count = 5, least = 0) {
  const rough = Math.max((high - low) / count, least),
    power = 10 ** Math.floor(Math.log10(rough)),
    step = Math.max(
      [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * (1 - 1e-9)),
      least,
    );
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(high / step + 1e-9) - first + 1) }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}

/** The ends of some values, as [low, high]; `always` are in it as well, and `round` makes it reach to ticks. */
export function reachOf(lists, { always = [], round = 0 } = {}) {
  let [low, high] = [Infinity, -Infinity];
  for (const list of [...lists, always])
    for (const value of list) {
      if (value === null || !Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  if (low > high) [low, high] = [0, 1];
  if (high - low <= ROUNDING * Math.max(Math.abs(low), Math.abs(high))) high = low + (Math.abs(low) || 1);
  if (!round) return [low, high];
  const ticks = ticksOf([low, high], round),
    step = ticks.length > 1 ? ticks[1] - ticks[0] : high - low;
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

/** A scale from values to pixels, and back by `invert`. */
function scaleBetween([low, high], [from, to]) {
  const scale = (value) => from + ((value - low) / (high - low || 1)) * (to - from);
  return Object.assign(scale, {
    invert: (pixel) => low + ((pixel - from) / (to - from || 1)) * (high - low),
    domain: [low, high],
  });
}

/**
 * The axes of a chart of a size in pixels: {x, y, parts}, two scales and what to draw. An axis is
 * {domain, title?, ticks?, least?, grid?, down?}; `title` stands above the chart; `above` and `right` leave room.
 */
export function axesOf({ width, height, xAxis, yAxis, title = "", above = 8, right = 14 }) {
  const words = (ticks) => ticks.map((tick) => tick.toLocaleString("en", { maximumSignificantDigits: 12 }));
  const [xs, ys] = [xAxis, yAxis].map(({ domain, ticks = 5, least = 0 }) => ticksOf(domain, ticks, least));
  const [xWords, yWords] = [xs, ys].map(words);
  const left = 10 + (yAxis.title ? 18 : 0) + 6.2 * Math.max(...yWords.map((word) => word.length), 2),
    [top, bottom] = [title ? 24 : above, height - (xAxis.title ? 36 : 20)];
  const x = scaleBetween(xAxis.domain, [left, width - right]),
    y = scaleBetween(yAxis.domain, [yAxis.down ? top : bottom, yAxis.down ? bottom : top]);
  const middle = (left + width - right) / 2,
    upwards = `translate(11 ${(top + bottom) / 2}) rotate(-90)`;
  return {
    width,
    height,
    x,
    y,
    top,
    bottom,
    parts: [
      ys.map((tick, i) => [
        yAxis.grid !== false && svg("line.grid", { x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
        svg("text", { x: left - 5, y: y(tick) + 4, "text-anchor": "end" }, yWords[i]),
      ]),
      xs.map((tick, i) => [
        xAxis.grid && svg("line.grid", { x1: x(tick), x2: x(tick), y1: top, y2: bottom }),
        svg("text", { x: x(tick), y: bottom + 14, "text-anchor": "middle" }, xWords[i]),
      ]),
      svg("line.axis", { x1: left, x2: width - right, y1: bottom, y2: bottom }),
      svg("line.axis", { x1: left, x2: left, y1: top, y2: bottom }),
      xAxis.title && svg("text.title", { x: middle, y: bottom + 31, "text-anchor": "middle" }, xAxis.title),
      yAxis.title && svg("text.title", { transform: upwards, "text-anchor": "middle" }, yAxis.title),
      title && svg("text.heading", { x: 2, y: 13 }, title),
    ],
  };
}

/** The path of a line through values at xs; where there is none it is broken. With `step` it goes sideways first. */
export function linePath(xs, values, x, y, { step = false } = {}) {
  let path = "",
    pen = false;
  for (let i = 0; i < values.length; i += 1) {
    if (values[i] === null || values[i] === undefined) pen = false;
    else {
      const across = x(xs[i]).toFixed(1),
        down = y(values[i]).toFixed(1);
      path += pen ? (step ? `H${across}V${down}` : `L${across} ${down}`) : `M${across} ${down}`;
      if (!pen && values[i + 1] == null) path += "h0"; // a single value is a dot
      pen = true;
    }
  }
  return path;
}

/** The path of dots {x, y}; its stroke is round and as wide as a dot. */
export function dotsPath(points, x, y) {
  return points.map((point) => `M${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}h0`).join("");
}

/** The nearest of points {x, y} to a pointer over a drawing, if it is near; in units of the drawing. */
export function nearestPoint(event, picture, points, x, y, near) {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
  let best = null,
    least = near ** 2;
  for (const each of points) {
    const away = (x(each.x) - at.x) ** 2 + (y(each.y) - at.y) ** 2;
    if (away < least) [best, least] = [each, away];
  }
  return best;
}

/** The ends of a line across a chart at a value of its horizontal axis. */
export function upright({ x, top, bottom }, value) {
  return { x1: x(value), x2: x(value), y1: top, y2: bottom };
}

/** A drawing of a size in pixels. */
export function pictureOf(width, height, attributes, ...children) {
  return svg("svg.plot", { viewBox: `0 0 ${width} ${height}`, width, height, ...attributes }, ...children);
}

/** A line of a chart with these axes, or several as one path: {values, or many; kind, style, step}. */
export function lineOf({ x, y }, xs, { values, many = [values], kind = "line", style, step = false }) {
  return svg(`path.${kind}`, { d: many.map((each) => linePath(xs, each, x, y, { step })).join(""), style });
}

/** Name what is near the pointer: `lines(each)` in the tip, `mark(each)` in the drawing, `open(each)` by a click. */
export function pointing(picture, nearest, { lines, mark = () => {}, open }) {
  picture.addEventListener("pointermove", (event) => {
    const each = nearest(event);
    mark(each);
    each ? showTip(lines(each), event.clientX, event.clientY) : hideTip();
  });
  for (const event of ["pointerleave", "blur"])
    picture.addEventListener(event, () => {
      hideTip();
      mark(null);
    });
  picture.addEventListener("click", (event) => {
    const each = open && nearest(event);
    if (each) open(each);
  });
}

/** Put a ring around a point {x, y}, or hide it. */
export function encircle(ring, point, { x, y }) {
  change(ring, point ? { cx: x(point.x), cy: y(point.y), visibility: "visible" } : { visibility: "hidden" });
}

/**
 * A plot of points {x, y} over axes: {element, select(point)}. `groups` are {points, kind?, colour?}, a path of dots
 * each; `under` is drawn below. `lines(point)` is the tip, `open(point)` is called by a click or Enter, `next(point,
 * key)` is the point to which a key leads (from null at first), and `step(point)` follows.
 */
export function pointPlot(axes, { label, key, under = [], groups, lines, open, next, step }) {
  const points = groups.flatMap((group) => group.points);
  const [ring, marked] = ["circle.ring", "circle.ring.marked"].map((kind) => svg(kind, { r: 6, visibility: "hidden" }));
  let at = null;
  const picture = pictureOf(
    axes.width,
    axes.height,
    { role: "application", "aria-roledescription": "plot", "aria-label": label, tabindex: 0, "data-key": key },
    axes.parts,
    under,
    groups.map(({ points: some, kind = "", colour }) =>
      svg("path", { class: `dots ${kind}`, d: dotsPath(some, axes.x, axes.y), style: colour && { stroke: colour } }),
    ),
    marked,
    ring,
  );
  const mark = (point) => {
    encircle(ring, point, axes);
    picture.classList.toggle("pointing", Boolean(point));
  };
  pointing(picture, (event) => nearestPoint(event, picture, points, axes.x, axes.y, NEAR), { lines, mark, open });
  picture.addEventListener("keydown", (event) => {
    if (withModifier(event)) return;
    if (event.key === "Enter" && at) open(at);
    const point = next(at, event.key);
    if (!point) return;
    event.preventDefault(); // do not scroll the page
    at = point;
    mark(point);
    const box = ring.getBoundingClientRect();
    showTip(lines(point), box.left, box.bottom);
    step(point);
  });
  const select = (point) => {
    at = point;
    encircle(marked, point, axes);
  };
  return { element: picture, select };
}

// Line charts over ranks: some that share a cursor with each other and with rankings, and one of many lines.

import { el, svg } from "./dom.js";
import { darkMode } from "./colours.js";
import { axesOf, encircle, fillPicture, lineOf, linePath, pictureOf, reachOf } from "./plot.js";

export const COLUMN_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
export const CURVE_TITLES = { DCG: "Discounted cumulated gain", P: "Precision", CRP: "Cumulated relative position" };

const HIGH = 200;

/** One chart of lines [{name, values, colour, dash}]: {element, draw(lines, base), mark(rank)}; see `curvePanels`. */
function curveChart(title, width, onRank) {
  const picture = pictureOf(width, HIGH, { role: "img", "aria-label": title });
  let axes = null,
    cursor = null;
  picture.addEventListener("pointermove", (event) => {
    const rank = Math.round(axes.x.invert(event.clientX - picture.getBoundingClientRect().left));
    if (rank >= 1 && rank <= axes.x.domain[1]) onRank(rank);
  });
  picture.addEventListener("pointerleave", () => onRank(null));
  return {
    element: el("div.chart", picture),
    draw(lines, base) {
      const depth = Math.max(...lines.map((line) => line.values.length), 2),
        ranks = Array.from({ length: depth }, (_, i) => i + 1);
      const domain = reachOf(lines.map((line) => line.values), { always: [0], round: 4 });
      const xAxis = { domain: [1, depth], title: "rank", least: 1 };
      axes = axesOf({ width, height: HIGH, title, xAxis, yAxis: { domain, ticks: 4 } });
      const { x, top, bottom } = axes;
      cursor = svg("line.cursor", { y1: top, y2: bottom, visibility: "hidden" });
      fillPicture(
        picture,
        axes,
        base > 0 && base <= depth && svg("line.rule", { x1: x(base), x2: x(base), y1: top, y2: bottom }),
        lines.map(({ values, colour, dash }) =>
          lineOf(axes, ranks, { values, style: { stroke: colour, "stroke-dasharray": dash ?? [] }, step: true }),
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

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1b1f24"];
const DARK = ["#56b4e9", "#e69f00", "#2fc79a", "#f0e442", "#ff8a4c", "#e59ac5", "#e6edf3"];
const DASHES = [[], [7, 3], [2, 2], [9, 3, 2, 3]];
const HEIGHT = 250;

/** The colour and the dashes of the nth picked line. */
export function lineStyle(n) {
  const colours = darkMode.matches ? DARK : LIGHT;
  return { colour: colours[n % colours.length], dash: DASHES[Math.floor(n / colours.length) % DASHES.length] };
}

/**
 * Draw lines: `values` has a list of values at `xs` for each line, `ideal` is a line apart.
 * The result has `pick(lines)`, `near(line, place)`, `nearest(event)` and `position(line, place)`, in pixels of the window.
 * They are drawn as wide as the element, when it is part of the page.
 */
export function drawLines(element, { title, xs, values, ideal }) {
  const domain = reachOf([...values, ideal], { round: 5 });
  const picture = pictureOf(0, HEIGHT, { role: "img", "aria-label": title });
  const [picked, nearest] = [svg("g"), svg("path.line.near")],
    spot = svg("circle.spot", { r: 4, visibility: "hidden" });
  let [chosen, at, axes] = [[], [null, 0], null];
  const pickedLine = (line, n) => {
    const { colour, dash } = lineStyle(n);
    return lineOf(axes, xs, { values: values[line], kind: "line.picked", style: { stroke: colour, "stroke-dasharray": dash } });
  };
  function showNear() {
    const [line, place] = at;
    if (!axes) return;
    nearest.setAttribute("d", line === null ? "" : linePath(xs, values[line], axes.x, axes.y));
    const value = line === null ? null : values[line][place];
    encircle(spot, value === null ? null : { x: xs[place], y: value }, axes);
  }
  function render(width) {
    const xAxis = { domain: [xs[0], Math.max(xs[xs.length - 1], xs[0] + 1)], title: "rank", ticks: 6, least: 1 };
    axes = axesOf({ width, height: HEIGHT, xAxis, yAxis: { domain } });
    for (const [name, value] of Object.entries({ width, viewBox: `0 0 ${width} ${HEIGHT}` }))
      picture.setAttribute(name, value);
    fillPicture(
      picture,
      axes,
      lineOf(axes, xs, { many: values, kind: "line.faint" }),
      lineOf(axes, xs, { values: ideal, kind: "line.ideal" }),
      picked,
      nearest,
      spot,
    );
    picked.replaceChildren(...chosen.map(pickedLine));
    showNear();
  }
  element.append(picture);
  new ResizeObserver(() => {
    const wide = Math.floor(element.clientWidth);
    if (wide && wide !== Number(picture.getAttribute("width"))) render(wide);
  }).observe(element);
  return {
    pick(lines) {
      chosen = lines;
      if (axes) picked.replaceChildren(...chosen.map(pickedLine));
    },
    near(line, place) {
      at = [line, place];
      showNear();
    },
    position(line, place) {
      const box = picture.getBoundingClientRect();
      return [box.left + axes.x(xs[place]), box.top + axes.y(values[line][place] ?? domain[0])];
    },
    nearest(event) {
      const box = picture.getBoundingClientRect(),
        wanted = axes.x.invert(event.clientX - box.left),
        height = event.clientY - box.top;
      const place = xs.reduce((best, each, i) => (Math.abs(each - wanted) < Math.abs(xs[best] - wanted) ? i : best), 0);
      const apart = (line) => (values[line][place] === null ? Infinity : Math.abs(axes.y(values[line][place]) - height));
      return { place, line: values.reduce((best, _, line) => (apart(line) < apart(best) ? line : best), 0) };
    },
  };
}

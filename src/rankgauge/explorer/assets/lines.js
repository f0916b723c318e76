// A chart of many lines, of which some are picked; the nearest line to the pointer can be named.

import { draw, darkMode } from "./charts.js";

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1b1f24"];
const DARK = ["#56b4e9", "#e69f00", "#2fc79a", "#f0e442", "#ff8a4c", "#e59ac5", "#e6edf3"];
const DASHES = [
  [1, 0],
  [7, 3],
  [2, 2],
  [9, 3, 2, 3],
];

/** The colour and the dashes of the nth picked line. */
export function lineStyle(n) {
  const colours = darkMode.matches ? DARK : LIGHT;
  return { colour: colours[n % colours.length], dash: DASHES[Math.floor(n / colours.length) % DASHES.length] };
}

const POSITION = { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } };

/** The specification: thin lines, the ideal, and three sets of data that change: picked lines, the nearest one, a point of it. */
function lineSpec({ title, xs, ideal }, rows, width) {
  const styles = getComputedStyle(document.documentElement);
  const ink = styles.getPropertyValue("--ink").trim(),
    soft = styles.getPropertyValue("--soft").trim();
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    width,
    height: 250,
    autosize: { type: "fit", contains: "padding" },
    padding: { left: 0, right: 6, top: 4, bottom: 0 },
    encoding: {
      x: {
        ...POSITION.x,
        title: "rank",
        scale: { domain: [xs[0], Math.max(xs[xs.length - 1], xs[0] + 1)], nice: false },
        axis: { tickCount: 6, format: "d", grid: false },
      },
      y: { ...POSITION.y, title: null, scale: { zero: false, nice: true }, axis: { tickCount: 5 } },
    },
    layer: [
      {
        data: { name: "all", values: rows },
        mark: { type: "line", strokeWidth: 1, opacity: 0.4, color: soft },
        encoding: { detail: { field: "line", type: "nominal" } },
      },
      {
        data: { name: "ideal", values: xs.map((x, i) => ({ x, y: ideal[i] })) },
        mark: { type: "line", strokeWidth: 1.5, strokeDash: [2, 3], color: ink },
      },
      {
        data: { name: "picked", values: [] },
        mark: { type: "line", strokeWidth: 2 },
        encoding: {
          detail: { field: "line", type: "nominal" },
          stroke: { field: "colour", type: "nominal", scale: null },
          strokeDash: { field: "dash", type: "nominal", scale: null },
        },
      },
      { data: { name: "near", values: [] }, mark: { type: "line", strokeWidth: 3.5, color: ink, opacity: 0.85 } },
      { data: { name: "point", values: [] }, mark: { type: "point", size: 60, filled: true, opacity: 1, color: ink } },
    ],
    description: title,
  };
}

/**
 * Draw lines: `values` has a list of values at `xs` for each line, `ideal` is a line apart.
 * The result has `pick(lines)`, `near(line, place)`, `nearest(event)` and `position(line, place)`, in pixels of the window.
 */
export async function drawLines(element, given, width) {
  const { xs, values } = given;
  const rows = (line, more = {}) =>
    xs.map((x, i) => ({ line, x, y: values[line][i], ...more })).filter(({ y }) => y !== null);
  const view = await draw(
    element,
    lineSpec(
      given,
      values.flatMap((_, line) => rows(line)),
      width,
    ),
  );
  const offset = () => {
    const [left, top] = view.origin(),
      svg = element.querySelector("svg").getBoundingClientRect(),
      box = element.getBoundingClientRect();
    return [svg.left - box.left + left, svg.top - box.top + top];
  };
  new ResizeObserver(() => {
    const wide = element.clientWidth;
    if (wide && wide !== view.width()) view.width(wide).runAsync();
  }).observe(element);
  return {
    pick: (lines) =>
      view
        .data(
          "picked",
          lines.flatMap((line, n) => rows(line, lineStyle(n))),
        )
        .runAsync(),
    near: (line, place) =>
      view
        .data("near", line === null ? [] : rows(line))
        .data("point", line === null ? [] : [{ x: xs[place], y: values[line][place] }])
        .runAsync(),
    position(line, place) {
      const [left, top] = offset(),
        box = element.getBoundingClientRect();
      return [box.left + left + view.scale("x")(xs[place]), box.top + top + view.scale("y")(values[line][place])];
    },
    nearest(event) {
      const box = element.getBoundingClientRect(),
        [left, top] = offset(),
        scale = view.scale("y");
      const x = view.scale("x").invert(event.clientX - box.left - left),
        y = event.clientY - box.top - top;
      const place = xs.reduce((best, each, i) => (Math.abs(each - x) < Math.abs(xs[best] - x) ? i : best), 0);
      const apart = (line) => (values[line][place] === null ? Infinity : Math.abs(scale(values[line][place]) - y));
      return { place, line: values.reduce((best, _, line) => (apart(line) < apart(best) ? line : best), 0) };
    },
  };
}

// Line charts, as wide as their elements: some by rank share a cursor with each other and with rankings.

import { change, el, listOf, svg } from "./dom.js";
import { darkMode } from "./colours.js";
import { axesOf, lineOf, pictureOf, reachOf, upright } from "./plot.js";

export const CURVE_TITLES = { DCG: "Discounted cumulated gain", CRP: "Cumulated relative position" };
export const REFERENCE = { colour: "#8a939c", dash: [4, 3] }; // a line to compare others with

/**
 * A chart of lines, see `lineOf`: {element, picture, axes, draw({xs, lines, always?, xAxis?, yAxis?, over?})}.
 * `over(axes)` is drawn on top, `always` are values of the vertical axis; `axes` are null outside of the page.
 */
export function lineChart({ title, height, heading = "" }) {
  const picture = pictureOf(0, height, { role: "img", "aria-label": title });
  const chart = { element: el("div.chart", picture), picture, axes: null, draw };
  let content = null;

  function draw(given) {
    content = given;
    const width = Math.floor(chart.element.clientWidth);
    if (!width) return;
    const { xs, lines, always, xAxis, yAxis, over = () => [] } = content;
    const ticks = Math.round(height / 50);
    const across = { domain: [xs[0], Math.max(xs.at(-1), xs[0] + 1)], title: "rank", least: 1, ...xAxis };
    const domain = reachOf(
      lines.flatMap(({ values, many = [values] }) => many),
      { always, round: ticks },
    );
    chart.axes = axesOf({ width, height, title: heading, xAxis: across, yAxis: { domain, ticks, ...yAxis } });
    change(picture, { width, viewBox: `0 0 ${width} ${height}` });
    const parts = [chart.axes.parts, lines.map((line) => lineOf(chart.axes, xs, line)), over(chart.axes)];
    picture.replaceChildren(...parts.flat(Infinity).filter(Boolean));
  }

  new ResizeObserver(() => {
    const isNew = Math.floor(chart.element.clientWidth) !== chart.axes?.width;
    if (content && isNew) draw(content);
  }).observe(chart.element);
  return chart;
}

/** What tells the lines of charts apart: a stroke and a name for each. */
export function lineLegend(lines) {
  const strokeOf = ({ colour, dash }) =>
    el(dash ? "span.stroke.dashed" : "span.stroke", { style: { "--colour": colour } });
  return listOf("ul.lines", lines.map((line) => [strokeOf(line), line.name]));
}

/** A chart by rank with a cursor: {element, draw(lines, base), mark(rank)}; see `curvePanels`. */
function rankChart(title, onRank) {
  const chart = lineChart({ title, heading: title, height: 200 }),
    cursor = svg("line.cursor");
  let at = null;
  const mark = (rank) => {
    at = rank;
    const there = chart.axes && rank !== null && rank >= 1 && rank <= chart.axes.x.domain[1];
    change(cursor, { ...(there && upright(chart.axes, rank)), visibility: there ? "visible" : "hidden" });
  };
  const draw = (lines, base) => {
    const depth = Math.max(...lines.map(({ values }) => values.length), 2);
    chart.draw({
      xs: Array.from({ length: depth }, (_, i) => i + 1),
      lines: lines.map(({ values, colour, dash }) => {
        return { values, step: true, style: { stroke: colour, "stroke-dasharray": dash ?? [] } };
      }),
      always: [0],
      over: (axes) => {
        mark(at);
        return [base > 0 && base <= depth && svg("line.rule", upright(axes, base)), cursor];
      },
    });
  };
  chart.picture.addEventListener("pointermove", (event) => {
    const { x } = chart.axes;
    const rank = Math.round(x.invert(event.clientX - chart.picture.getBoundingClientRect().left));
    if (rank >= 1 && rank <= x.domain[1]) onRank(rank);
  });
  chart.picture.addEventListener("pointerleave", () => onRank(null));
  return { element: chart.element, draw, mark };
}

/**
 * Charts by rank: {element, draw(charts, base), mark(rank)}. A chart is {title, lines}, a line {name, values, colour,
 * dash?}; a rule stands at the rank `base`. `mark` moves the cursor; `onRank(rank)` follows the pointer, null beyond.
 */
export function curvePanels(charts, base, onRank) {
  const readout = el("p.readout", { "aria-live": "off" });
  const panels = charts.map(({ title }) => rankChart(title, onRank));
  const draw = (others, rank) => {
    charts = others;
    panels.forEach((panel, i) => panel.draw(charts[i].lines, rank));
  };
  const mark = (rank) => {
    for (const panel of panels) panel.mark(rank);
    const value = (values) => ((values[rank - 1] ?? null) === null ? "–" : Number(values[rank - 1].toFixed(4)));
    const words = charts.map(
      ({ title, lines }) => `${title} ${lines.map(({ name, values }) => `${name} ${value(values)}`).join(", ")}`,
    );
    readout.textContent = rank === null ? "" : `Rank ${rank}: ${words.join("; ")}`;
  };
  draw(charts, base);
  const elements = panels.map(({ element }) => element);
  return { element: el("div", el("div.charts", elements), readout), draw, mark };
}

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1b1f24"];
const DARK = ["#56b4e9", "#e69f00", "#2fc79a", "#f0e442", "#ff8a4c", "#e59ac5", "#e6edf3"];
const DASHES = [[], [7, 3], [2, 2], [9, 3, 2, 3]];

/** The colour and the dashes of the nth picked line. */
export function lineStyle(n) {
  const colours = darkMode.matches ? DARK : LIGHT;
  return { colour: colours[n % colours.length], dash: DASHES[Math.floor(n / colours.length) % DASHES.length] };
}

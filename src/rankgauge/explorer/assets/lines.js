// A chart of many lines, of which some are picked; the nearest line to the pointer can be named.

import { svg } from "./dom.js";
import { darkMode } from "./colours.js";
import { axesOf, linePath, pictureOf, reachOf } from "./plot.js";

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
  let [chosen, at] = [[], [null, 0]],
    [x, y, picked, nearest, spot] = [null, null, null, null, null];
  const path = (line) => linePath(xs, values[line], x, y);

  function showPicked() {
    picked?.replaceChildren(
      ...chosen.map((line, n) => {
        const { colour, dash } = lineStyle(n);
        return svg("path.line.picked", { d: path(line), style: { stroke: colour, "stroke-dasharray": dash } });
      }),
    );
  }
  function showNear() {
    const [line, place] = at;
    nearest?.setAttribute("d", line === null ? "" : path(line));
    const value = line === null ? null : values[line][place];
    spot?.setAttribute("visibility", value === null ? "hidden" : "visible");
    if (spot && value !== null) {
      spot.setAttribute("cx", x(xs[place]));
      spot.setAttribute("cy", y(value));
    }
  }
  function render(width) {
    const axes = axesOf({
      width,
      height: HEIGHT,
      xAxis: { domain: [xs[0], Math.max(xs[xs.length - 1], xs[0] + 1)], title: "rank", ticks: 6, least: 1 },
      yAxis: { domain },
    });
    ({ x, y } = axes);
    picked = svg("g");
    nearest = svg("path.line.near");
    spot = svg("circle.spot", { r: 4, visibility: "hidden" });
    for (const [name, value] of Object.entries({ width, viewBox: `0 0 ${width} ${HEIGHT}` }))
      picture.setAttribute(name, value);
    picture.replaceChildren(
      ...[
        ...axes.parts.flat(2).filter(Boolean),
        svg("path.line.faint", { d: values.map((_, line) => path(line)).join("") }),
        svg("path.line.ideal", { d: linePath(xs, ideal, x, y) }),
        picked,
        nearest,
        spot,
      ],
    );
    showPicked();
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
      showPicked();
    },
    near(line, place) {
      at = [line, place];
      showNear();
    },
    position(line, place) {
      const box = picture.getBoundingClientRect();
      return [box.left + x(xs[place]), box.top + y(values[line][place] ?? domain[0])];
    },
    nearest(event) {
      const box = picture.getBoundingClientRect(),
        wanted = x.invert(event.clientX - box.left),
        height = event.clientY - box.top;
      const place = xs.reduce((best, each, i) => (Math.abs(each - wanted) < Math.abs(xs[best] - wanted) ? i : best), 0);
      const apart = (line) => (values[line][place] === null ? Infinity : Math.abs(y(values[line][place]) - height));
      return { place, line: values.reduce((best, _, line) => (apart(line) < apart(best) ? line : best), 0) };
    },
  };
}

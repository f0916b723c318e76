// Effort and gain: a point for each topic of each run, in sixteen quadrants; a point opens its curves.

import { VIEWS, address, remember } from "./views.js";
import { el, shown, svg } from "./dom.js";
import { axesOf, dotsPath, encircle, nearestPoint, pictureOf, pointing } from "./plot.js";
import { ask, has, live } from "./source.js";
import { runPicker, runsOf, runsParameter } from "./runs.js";
import { measureInput } from "./measures.js";
import { crpCurve, dcgCurve, hitsFromSteps, idealHits, nextPoint } from "./effortcurves.js";
import { CURVE_TITLES, COLUMN_COLOURS, curvePanels, lineLegend } from "./linecharts.js";

const NEAR_POINT = 9, // pixels
  LAYERS = 8; // of points in a colour: where many lie on each other it is darker

/** The plot: points by run if they are few, the quadrants with their names; {element, nearest(event), select(point)}. */
function effortPlot(answer, points, width) {
  const few = answer.runs.length <= COLUMN_COLOURS.length,
    height = Math.min(width, 440);
  const [xs, ys] = answer.cuts,
    highest = Math.max(1, ...points.map((point) => point.y));
  const { x, y, top, bottom, parts } = axesOf({
    width,
    height,
    above: 18,
    right: 86,
    xAxis: { domain: [0, 1], title: "Twist (effort: the less, the further right)" },
    yAxis: { domain: [0, highest], title: `${answer.measure.label} (gain)`, grid: false },
  });
  const colours = few ? answer.runs.map((run, i) => [run, COLUMN_COLOURS[i]]) : [[null, "var(--mark)"]];
  const ring = svg("circle.ring", { r: 7, visibility: "hidden" });
  const [left, right] = [x(0), x(1)];
  const picture = pictureOf(
    width,
    height,
    {},
    parts,
    xs.map((cut) => svg("line.rule", { x1: x(cut), x2: x(cut), y1: top, y2: bottom })),
    ys.map((cut) => svg("line.rule", { x1: left, x2: right, y1: y(cut), y2: y(cut) })),
    [0, ...xs].map((from, i) =>
      svg(
        "text",
        { x: x((from + (xs[i] ?? 1)) / 2), y: top - 6, "text-anchor": "middle" },
        width < 480 ? answer.efforts[i] : `${answer.efforts[i]} effort`,
      ),
    ),
    [0, ...ys].map((from, i) =>
      svg("text", { x: right + 5, y: y((from + (ys[i] ?? highest)) / 2) + 4 }, `${answer.gains[i]} gain`),
    ),
    colours.flatMap(([run, colour]) => {
      const some = run === null ? points : points.filter((point) => point.run === run);
      return Array.from({ length: LAYERS }, (_, layer) =>
        svg("path.dots.point", {
          d: dotsPath(some.filter((_, i) => i % LAYERS === layer), x, y),
          style: { stroke: colour },
        }),
      );
    }),
    ring,
  );
  return {
    element: picture,
    nearest: (event) => nearestPoint(event, picture, points, x, y, NEAR_POINT),
    select: (point) => encircle(ring, point, { x, y }),
  };
}

/** The shares of the sixteen quadrants, the highest gain first; the more, the darker. */
function quadrantTable(answer) {
  const most = Math.max(...answer.shares.flat());
  return el(
    "table.quadrants",
    el("caption", "Shares of points"),
    el("thead", el("tr", el("td"), answer.efforts.map((name) => el("th", { scope: "col" }, `${name} effort`)))),
    el(
      "tbody",
      [...answer.gains.keys()].reverse().map((row) =>
        el(
          "tr",
          el("th", { scope: "row" }, `${answer.gains[row]} gain`),
          answer.shares[row].map((share, column) =>
            el(
              "td.number",
              {
                title: `${answer.counts[row][column]} points`,
                style: { "--share": `${Math.round((60 * share) / (most || 1))}%` },
              },
              `${(100 * share).toFixed(1)}%`,
            ),
          ),
        ),
      ),
    ),
  );
}

/** What the page draws for one topic of a run. */
async function pointCurves(answer, run, topic, at) {
  const { archetypes, hits } = await ask("effort-hits", { run });
  const base = answer.bases[at],
    relevant = base.reduce((sum, [, count]) => sum + count, 0);
  const found = hitsFromSteps(base, hits[at]),
    full = Math.max(answer.N ?? 0, 2 * relevant, 1),
    depth = Math.min(full, answer.depth);
  const pair = (title, curve, ideal) => ({
    title,
    lines: [
      { name: run, values: curve, colour: COLUMN_COLOURS[0] },
      { name: "ideal", values: ideal, colour: "#8a939c", dash: [4, 3] },
    ],
  });
  const charts = [
    pair(CURVE_TITLES.CRP, crpCurve(base, found, depth), Array(depth).fill(0)),
    pair(CURVE_TITLES.DCG, dcgCurve(found, depth), dcgCurve(idealHits(base), depth)),
  ];
  const panels = curvePanels(charts, relevant, (rank) => panels.mark(rank), Math.min(380, innerWidth - 110));
  return { archetype: archetypes[at], element: el("div", lineLegend(charts[0].lines), panels.element) };
}

VIEWS.set("effort", {
  needs: "rankings",
  title: "Effort and gain",
  async show(place, parameters, app) {
    const gain = parameters.get("gain") ?? undefined,
      chosen = runsOf(parameters, app.session.runs);
    const answer = await ask("effort", { gain, runs: chosen?.length ? chosen : undefined });
    const { topics } = app.session;
    const points = answer.runs
      .flatMap((run, i) => topics.map((topic, j) => ({ run, topic, x: answer.twist[i][j], y: answer.values[i][j] })))
      .filter(({ x, y }) => x !== null && y !== null);
    let open = points.findIndex(({ run, topic }) => run === parameters.get("of") && topic === parameters.get("topic"));
    const go = (changes) => app.go("effort", { gain, run: runsParameter(chosen), ...changes });
    const stage = el("div.stage", {
      tabIndex: 0,
      role: "application",
      "aria-label": "Effort and gain; arrow keys move between points",
    });
    const status = el("p.facts", { role: "status" }),
      curves = el("div");
    const plot = effortPlot(answer, points, Math.min(660, Math.max(320, innerWidth - 60)));
    stage.append(plot.element);
    const left = answer.runs_in_all - answer.runs.length;

    async function choose(number, named = true) {
      open = number;
      const { run, topic, x, y } = points[number];
      plot.select(points[number]);
      if (named) remember(address("effort", { gain, run: runsParameter(chosen), of: run, topic }));
      const words = `${run}, topic ${topic}: Twist ${shown(x)}, ${answer.measure.label} ${shown(y)}`;
      if (!has("effort-hits", { run })) {
        status.textContent = `${words}. This saved page does not hold its curves; \`rankgauge explore\` shows them.`;
        return curves.replaceChildren();
      }
      const { archetype, element } = await pointCurves(answer, run, topic, topics.indexOf(topic));
      if (open !== number) return undefined;
      status.textContent = `${words}${archetype ? `, ${archetype}` : ""}.`;
      curves.replaceChildren(
        el(
          "p",
          el("a", { href: address("ranking", { topic, run }) }, "Its ranking"),
          live && [" · ", el("a", { href: address("what-if", { topic, run }) }, "What if")],
        ),
        element,
      );
      return (place.dataset.open = String(number));
    }

    stage.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const number = nextPoint(points, open, event.key);
      if (number === undefined) return;
      event.preventDefault(); // do not scroll the page
      choose(number);
    });
    pointing(stage, plot.nearest, {
      lines: ({ run, topic, x, y }) => [`${run}, topic ${topic}`, `Twist ${shown(x)}`, `gain ${shown(y)}`],
      mark: (point) => plot.element.classList.toggle("pointing", Boolean(point)),
      open: (point) => choose(points.indexOf(point)),
    });
    place.replaceChildren(
      el(
        "div.toolbar",
        measureInput({
          key: "gain",
          label: "Gain",
          single: true,
          chosen: [answer.measure],
          onChange: ([text]) => go({ gain: text }),
        }),
        live &&
          runPicker({
            all: app.session.runs,
            chosen,
            onChange: (list) => go({ run: list?.length ? list : undefined }),
          }),
      ),
      el(
        "p.facts",
        `${points.length} points: ${answer.runs.length} ${answer.runs.length === 1 ? "run" : "runs"}, ${topics.length} ${topics.length === 1 ? "topic" : "topics"}. On the diagonal, where gain and effort agree: ${(100 * answer.diagonal).toFixed(0)}%; high gain at high effort: ${(100 * answer.high_high).toFixed(0)}%.` +
          (!chosen && left > 0 ? ` The ${left} runs with the lowest mean are left out; choose runs to see them.` : ""),
      ),
      answer.runs.length <= COLUMN_COLOURS.length
        ? lineLegend(answer.runs.map((name, i) => ({ name, colour: COLUMN_COLOURS[i] })))
        : "",
      el("div.effort-columns", stage, el("div.table-scroll", quadrantTable(answer))),
      el(
        "p.hint",
        "Choose a point to see where its ranking differs from the ideal; in the plot, arrow keys move between points.",
      ),
      status,
      curves,
    );
    if (open >= 0) await choose(open, false);
  },
});

// Effort and gain: a point for each topic of each run, in sixteen quadrants; a point opens its curves.

import { VIEWS, address, remember } from "./views.js";
import { el, shown } from "./dom.js";
import { draw } from "./charts.js";
import { ask, has, live } from "./source.js";
import { runPicker, runsOf, runsParameter } from "./runs.js";
import { measureInput } from "./measures.js";
import { crpCurve, dcgCurve, hitsFromSteps, idealHits, nextPoint } from "./effortcurves.js";
import { CURVE_TITLES, COLUMN_COLOURS, curvePanels, lineLegend } from "./rankcurves.js";

/** The plot: points by run if they are few, the quadrants with their names. */
function effortSpec(answer, points, width) {
  const few = answer.runs.length <= COLUMN_COLOURS.length;
  const [xs, ys] = answer.cuts;
  const axis = (title) => ({ title, grid: false });
  const x = {
    field: "x",
    type: "quantitative",
    scale: { domain: [0, 1] },
    axis: axis("Twist (effort: the less, the further right)"),
  };
  const y = { field: "y", type: "quantitative", axis: axis(`${answer.measure.label} (gain)`), scale: { domainMin: 0 } };
  const names = [0, ...xs].map((from, i) => ({ x: (from + (xs[i] ?? 1)) / 2, text: `${answer.efforts[i]} effort` }));
  const top = Math.max(1, ...points.map((point) => point.y));
  const rows = [0, ...ys].map((from, i) => ({ y: (from + (ys[i] ?? top)) / 2, text: `${answer.gains[i]} gain` }));
  const rule = { type: "rule", strokeDash: [3, 2], color: "#8a939c" },
    small = { type: "text", fontSize: 10, color: "#8a939c" };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    width,
    height: Math.min(width, 420),
    layer: [
      { data: { values: xs.map((cut) => ({ x: cut })) }, mark: rule, encoding: { x } },
      { data: { values: ys.map((cut) => ({ y: cut })) }, mark: rule, encoding: { y } },
      {
        data: { values: names },
        mark: { ...small, dy: -6 },
        encoding: { x, y: { datum: top }, text: { field: "text" } },
      },
      {
        data: { values: rows },
        mark: { ...small, align: "left", dx: 5 },
        encoding: { x: { datum: 1 }, y, text: { field: "text" } },
      },
      {
        data: { values: points },
        mark: { type: "point", filled: true, size: 26, opacity: points.length > 800 ? 0.45 : 0.7, cursor: "pointer" },
        encoding: {
          x,
          y,
          color: few
            ? { field: "run", type: "nominal", legend: null, scale: { domain: answer.runs, range: COLUMN_COLOURS } }
            : { value: COLUMN_COLOURS[0] },
          tooltip: [
            { field: "run", title: "run" },
            { field: "topic", title: "topic" },
            { field: "x", title: "Twist", format: ".4f" },
            { field: "y", title: "gain", format: ".4f" },
          ],
        },
      },
      {
        data: { name: "selected", values: [] },
        mark: { type: "point", size: 150, strokeWidth: 2.5, color: "#d55e00", filled: false },
        encoding: { x, y },
      },
    ],
  };
}

/** The shares of the sixteen quadrants, the highest gain first; the more, the darker. */
function quadrantTable(answer) {
  const most = Math.max(...answer.shares.flat());
  return el(
    "table",
    { className: "quadrants" },
    el("caption", {}, "Shares of points"),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td"),
        answer.efforts.map((name) => el("th", { scope: "col" }, `${name} effort`)),
      ),
    ),
    el(
      "tbody",
      {},
      [...answer.gains.keys()].reverse().map((row) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, `${answer.gains[row]} gain`),
          answer.shares[row].map((share, column) =>
            el(
              "td",
              {
                className: "number",
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
  const panels = await curvePanels(charts, relevant, (rank) => panels.mark(rank), Math.min(380, innerWidth - 110));
  return { archetype: archetypes[at], element: el("div", {}, lineLegend(charts[0].lines), panels.element) };
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
    const stage = el("div", {
      className: "stage",
      tabIndex: 0,
      role: "application",
      "aria-label": "Effort and gain; arrow keys move between points",
    });
    const status = el("p", { role: "status", className: "facts" }),
      curves = el("div");
    const view = await draw(stage, effortSpec(answer, points, Math.min(540, innerWidth - 180)));
    const left = answer.runs_in_all - answer.runs.length;

    async function choose(number, named = true) {
      open = number;
      const { run, topic, x, y } = points[number];
      view.data("selected", [{ x, y }]);
      view.runAsync();
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
          {},
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
    view.addEventListener("click", (event, item) => {
      const at = points.findIndex(({ run, topic }) => run === item?.datum?.run && topic === item?.datum?.topic);
      if (at >= 0) choose(at);
    });
    place.replaceChildren(
      el(
        "div",
        { className: "toolbar" },
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
        "p",
        { className: "facts" },
        `${points.length} points: ${answer.runs.length} ${answer.runs.length === 1 ? "run" : "runs"}, ${topics.length} ${topics.length === 1 ? "topic" : "topics"}. On the diagonal, where gain and effort agree: ${(100 * answer.diagonal).toFixed(0)}%; high gain at high effort: ${(100 * answer.high_high).toFixed(0)}%.` +
          (!chosen && left > 0 ? ` The ${left} runs with the lowest mean are left out; choose runs to see them.` : ""),
      ),
      answer.runs.length <= COLUMN_COLOURS.length
        ? lineLegend(answer.runs.map((name, i) => ({ name, colour: COLUMN_COLOURS[i] })))
        : "",
      el(
        "div",
        { className: "effort-columns" },
        stage,
        el("div", { className: "table-scroll" }, quadrantTable(answer)),
      ),
      el(
        "p",
        { className: "hint" },
        "Choose a point to see where its ranking differs from the ideal; in the plot, arrow keys move between points.",
      ),
      status,
      curves,
    );
    if (open >= 0) await choose(open, false);
  },
});

// Effort and gain: a point for each topic of each run, in sixteen quadrants; a point opens its curves.

import { VIEWS, address, changed, remember } from "./views.js";
import { counted, el, shown, svg } from "./dom.js";
import { axesOf, pointPlot, upright } from "./plot.js";
import { ask, has, live } from "./source.js";
import { runPicker } from "./runs.js";
import { measureInput } from "./measures.js";
import { crpCurve, dcgCurve, hitsFromSteps, idealHits, nextPoint } from "./effortcurves.js";
import { CURVE_TITLES, REFERENCE, curvePanels, lineLegend, lineStyle } from "./linecharts.js";
import { table } from "./tables.js";

const MAX_COLOURED = 4; // runs with colours of their own
const LAYERS = 8; // of points in a colour: where many lie on each other it is darker

/** The plot: points by run if they are few, over the quadrants with their names. */
function effortPlot(answer, points, choose) {
  const width = Math.min(660, Math.max(320, innerWidth - 60)),
    [xs, ys] = answer.cuts,
    highest = Math.max(1, ...points.map((point) => point.y));
  const axes = axesOf({
    width,
    height: Math.min(width, 440),
    above: 18,
    right: 86,
    xAxis: { domain: [0, 1], title: "Twist (effort: the less, the further right)" },
    yAxis: { domain: [0, highest], title: `${answer.measure.label} (gain)`, grid: false },
  });
  const { x, y, top } = axes,
    [left, right] = [x(0), x(1)];
  const effortName = (name) => (width < 480 ? name : `${name} effort`);
  const between = (cuts, i, end) => ([0, ...cuts][i] + (cuts[i] ?? end)) / 2;
  const under = [
    xs.map((cut) => svg("line.rule", upright(axes, cut))),
    ys.map((cut) => svg("line.rule", { x1: left, x2: right, y1: y(cut), y2: y(cut) })),
    answer.efforts.map((name, i) =>
      svg("text", { x: x(between(xs, i, 1)), y: top - 6, "text-anchor": "middle" }, effortName(name)),
    ),
    answer.gains.map((name, i) => svg("text", { x: right + 5, y: y(between(ys, i, highest)) + 4 }, `${name} gain`)),
  ];
  const few = answer.runs.length <= MAX_COLOURED;
  const byRun = answer.runs.map((name, i) => [lineStyle(i).colour, points.filter(({ run }) => run === name)]);
  const groups = (few ? byRun : [["var(--mark)", points]]).flatMap(([colour, some]) =>
    Array.from({ length: LAYERS }, (_, layer) => {
      return { points: some.filter((__, i) => i % LAYERS === layer), kind: "point", colour };
    }),
  );
  return pointPlot(axes, {
    label: "Effort and gain; arrow keys move between points",
    key: "effort",
    under,
    groups,
    lines: (point) => [`${point.run}, topic ${point.topic}`, `Twist ${shown(point.x)}`, `gain ${shown(point.y)}`],
    open: choose,
    next: (point, key) => points[nextPoint(points, points.indexOf(point), key)],
    step: choose,
  });
}

/** The shares of the sixteen quadrants, the highest gain first; the more, the darker. */
function quadrantTable({ efforts, gains, shares, counts }) {
  const most = Math.max(...shares.flat()) || 1;
  const columns = efforts.map((name, column) => ({
    title: `${name} effort`,
    numeric: true,
    value: (row) => shares[row][column],
    cell: (row) => `${(100 * shares[row][column]).toFixed(1)}%`,
    style: (row) => ({ "--share": `${Math.round((50 * shares[row][column]) / most)}%` }),
    tip: (row) => [counted(counts[row][column], "point")],
  }));
  const rows = [...gains.keys()].reverse(),
    names = { title: "", key: "gain", value: (row) => `${gains[row]} gain` };
  return el("div", el("h2", "Shares of points"), table([names, ...columns], rows, { kind: "quadrants" }));
}

/** The curves of one topic of a run, and what kind of ranking it is. */
async function pointCurves(answer, run, at) {
  const { archetypes, hits } = await ask("effort-hits", { run });
  const base = answer.bases[at],
    found = hitsFromSteps(base, hits[at]),
    relevant = base.reduce((sum, [, count]) => sum + count, 0),
    depth = Math.min(Math.max(answer.N ?? 0, 2 * relevant, 1), answer.depth);
  const chart = (title, values, ideal) => {
    const own = { name: run, values, colour: lineStyle(0).colour };
    return { title, lines: [own, { ...REFERENCE, name: "ideal", values: ideal }] };
  };
  const charts = [
    chart(CURVE_TITLES.CRP, crpCurve(base, found, depth), Array(depth).fill(0)),
    chart(CURVE_TITLES.DCG, dcgCurve(found, depth), dcgCurve(idealHits(base), depth)),
  ];
  const panels = curvePanels(charts, relevant, (rank) => panels.mark(rank));
  return { archetype: archetypes[at], element: el("div.wide", lineLegend(charts[0].lines), panels.element) };
}

VIEWS.set("effort", {
  title: "Effort and gain",
  styles: "ranking",
  saves: ["table", "figure"],
  async show(place, parameters, app) {
    const { topics, runs } = app.session,
      { chosen } = app.state;
    const asked = { gain: parameters.get("gain") ?? undefined, runs: chosen?.length ? chosen : undefined };
    const answer = await ask("effort", has("effort", asked) ? asked : {}); // a saved page shows all runs
    const points = answer.runs
      .flatMap((run, i) => topics.map((topic, j) => ({ run, topic, x: answer.twist[i][j], y: answer.values[i][j] })))
      .filter(({ x, y }) => x !== null && y !== null);
    const status = el("p.facts", { role: "status" }),
      curves = el("div");
    const plot = effortPlot(answer, points, choose);
    let open = null;

    async function choose(point) {
      open = point;
      const { run, topic, x, y } = point;
      plot.select(point);
      if (place.isConnected) remember(changed({ of: run, topic }));
      const words = `${run}, topic ${topic}: Twist ${shown(x)}, ${answer.measure.label} ${shown(y)}`;
      if (!has("effort-hits", { run })) {
        status.textContent = `${words}. This saved page does not hold its curves.`;
        return curves.replaceChildren();
      }
      const { archetype, element } = await pointCurves(answer, run, topics.indexOf(topic));
      if (open !== point) return undefined;
      status.textContent = `${words}${archetype ? `, ${archetype}` : ""}.`;
      const ranking = el("a", { href: address("ranking", { topic, pair: run }) }, "Its ranking");
      const whatIf = live && [" · ", el("a", { href: address("what-if", { topic, of: run }) }, "What if")];
      return curves.replaceChildren(el("p", ranking, whatIf), element);
    }

    const percent = (share) => `${(100 * share).toFixed(0)}%`;
    const left = answer.runs_in_all - answer.runs.length;
    const setGain = ([gain]) => app.change({ gain }),
      gain = measureInput({ key: "gain", label: "Gain", single: true, chosen: [answer.measure], onChange: setGain });
    const colours = answer.runs.map((name, i) => ({ name, colour: lineStyle(i).colour })),
      legend = colours.length <= MAX_COLOURED && lineLegend(colours);
    place.replaceChildren(
      el("div.toolbar", gain, live && runPicker({ all: runs, chosen, onChange: app.change })),
      el(
        "p.lead",
        `Each point is one topic of a run: the higher, the more gain by ${answer.measure.label}; the further right, the less avoidable effort, by Twist, which is 1 for the ideal ranking. `,
        "Points that are high but on the left find much and still make people read past documents that belong further down. Choose a point, or move between points with the arrow keys, to see where its ranking departs from the ideal.",
      ),
      el(
        "p.facts",
        `${counted(points.length, "point")}: `,
        `${counted(answer.runs.length, "run")}, ${counted(topics.length, "topic")}. `,
        `On the diagonal, where gain and effort agree: ${percent(answer.diagonal)}; `,
        `high gain at high effort: ${percent(answer.high_high)}.`,
        !chosen && left > 0 && ` The ${left} runs with the lowest mean are left out; choose runs to see them.`,
      ),
      legend || "",
      el("div.effort-columns", el("div.stage", plot.element), quadrantTable(answer)),
      status,
      curves,
    );
    const named = points.find(({ run, topic }) => run === parameters.get("of") && topic === parameters.get("topic"));
    if (named) await choose(named);
  },
});

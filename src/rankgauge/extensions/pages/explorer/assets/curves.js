// Measures by rank: the mean curve of every run, of which any number are picked.

import { button, change, counted, el, field, shown, svg } from "./dom.js";
import { live, has, ask } from "./source.js";
import { table } from "./tables.js";
import { hideTip, showTip } from "./tips.js";
import { chip } from "./runs.js";
import { measureInput } from "./measures.js";
import { VIEWS, changed, remember } from "./views.js";
import { encircle, linePath } from "./plot.js";
import { lineChart, lineStyle } from "./linecharts.js";
import { nameChooser } from "./choosers.js";

const TABLE_RANKS = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The curves of all runs by one measure, of which some are picked and one may be near the pointer. */
function runCurves({ title, xs, values, ideal }) {
  const chart = lineChart({ title, height: 250 });
  const [near, spot] = [svg("path.line.near"), svg("circle.spot", { r: 4, visibility: "hidden" })];
  const pick = (picked) => {
    const lines = picked.map((line, n) => {
      const { colour, dash } = lineStyle(n);
      return { values: values[line], kind: "line.picked", style: { stroke: colour, "stroke-dasharray": dash } };
    });
    const all = { many: values, kind: "line.faint" },
      best = { values: ideal, kind: "line.ideal" };
    chart.draw({ xs, lines: [all, best, ...lines], over: () => [near, spot] });
  };
  return {
    element: chart.element,
    pick,
    near(line, place) {
      if (!chart.axes) return;
      const value = line === null ? null : values[line][place];
      change(near, { d: line === null ? null : linePath(xs, values[line], chart.axes.x, chart.axes.y) });
      encircle(spot, value === null ? null : { x: xs[place], y: value }, chart.axes);
    },
    /** Where a value is, in pixels of the window. */
    position(line, place) {
      const box = chart.picture.getBoundingClientRect(),
        { x, y } = chart.axes;
      return [box.left + x(xs[place]), box.top + y(values[line][place] ?? y.domain[0])];
    },
    nearest(event) {
      const box = chart.picture.getBoundingClientRect(),
        { x, y } = chart.axes;
      const leastOf = (list, size) => list.reduce((best, _, i) => (size(i) < size(best) ? i : best), 0);
      const place = leastOf(xs, (i) => Math.abs(x(xs[i]) - (event.clientX - box.left)));
      const away = (i) => Math.abs(y(values[i][place]) - (event.clientY - box.top));
      return { place, line: leastOf(values, (i) => (values[i][place] === null ? Infinity : away(i))) };
    },
  };
}

VIEWS.set("curves", {
  title: "Curves",
  saves: ["table", "figure"],
  async show(place, parameters, app) {
    const asked = {
      measures: parameters.get("curves") ?? parameters.get("measures") ?? undefined,
      depth: parameters.has("depth") ? Number(parameters.get("depth")) : undefined,
    };
    const answer = await ask("curves", has("curves", asked) ? asked : {}); // a saved page shows some of its measures
    const wanted = live || !asked.measures ? null : new Set(asked.measures.split(" "));
    const measures = answer.measures
      .map((measure, place) => ({ ...measure, place }))
      .filter(({ text }) => !wanted || wanted.has(text));
    const named = parameters.has("pair") ? parameters.getAll("pair") : app.state.compared;
    let picked = named.map((name) => answer.runs.indexOf(name)).filter((number) => number >= 0);
    const chips = el("ul.chips", { "aria-label": "Picked runs" });
    const status = el("span.unseen", { role: "status" });
    const tables = el("div");

    function pick(numbers) {
      picked = numbers;
      const names = picked.map((number) => answer.runs[number]);
      remember(changed({ pair: names.length ? names : "" })); // the page stays as it is
      refresh();
    }

    const toggle = (number) =>
      pick(picked.includes(number) ? picked.filter((other) => other !== number) : [...picked, number]);

    function refresh() {
      for (const { lines } of charts) lines.pick(picked);
      const chipOf = (number, n) => {
        const item = chip(answer.runs[number], () => toggle(number), "picked");
        item.prepend(swatch(n));
        return item;
      };
      chips.replaceChildren(...picked.map(chipOf));
      tables.replaceChildren(el("h2", "At some ranks"), rankTable(answer, measures, picked));
    }

    /** Name a line in a chart, and show it in the others. */
    function near(chart, line, at, { announce = false } = {}) {
      for (const { lines } of charts) lines.near(line, at);
      Object.assign(chart, { line, at });
      if (line === null) return hideTip();
      const values = answer.values[chart.measure.place],
        value = values[line][at];
      const better = values.filter((each) => each[at] > value).length;
      const text = `${chart.measure.label} ${shown(value)} at rank ${answer.ranks[at]}; ${better + 1} from the top of ${answer.runs.length}`;
      if (announce) status.textContent = `${answer.runs[line]}: ${text}${picked.includes(line) ? ", picked" : ""}`;
      return showTip([answer.runs[line], text], ...chart.lines.position(line, at));
    }

    /** Arrow keys lead along a line and from line to line; Enter picks. */
    function press(chart, event) {
      const values = answer.values[chart.measure.place];
      let { line = picked[0] ?? 0, at = 0 } = chart;
      const bounded = (number, list) => Math.min(list.length - 1, Math.max(0, number));
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 }[event.key];
      if (event.key === "Escape") return near(chart, null, 0);
      if (event.key === "Enter" || event.key === " ") toggle(line);
      else if (event.key === "ArrowLeft" || event.key === "ArrowRight") at = bounded(at + by, answer.ranks);
      else if (by) {
        const order = [...values.keys()]
          .filter((number) => values[number][at] !== null)
          .sort((a, b) => values[a][at] - values[b][at] || b - a);
        line = order[bounded(order.indexOf(line) + by, order)] ?? line;
      } else return undefined;
      event.preventDefault();
      return near(chart, line, at, { announce: true });
    }

    const charts = measures.map((measure) => {
      const [values, ideal] = [answer.values[measure.place], answer.ideal[measure.place]],
        lines = runCurves({ title: measure.label, xs: answer.ranks, values, ideal });
      const chart = { measure, lines };
      const follow = (event) => {
        const { line, place: at } = lines.nearest(event);
        near(chart, line, at);
      };
      lines.element.addEventListener("pointermove", follow);
      lines.element.addEventListener("pointerleave", () => near(chart, null, 0));
      lines.element.addEventListener("click", (event) => {
        follow(event);
        toggle(chart.line);
      });
      const label = `${measure.label} by rank. Arrow keys lead from rank to rank and from run to run, Enter picks a run.`,
        listeners = { onkeydown: (event) => press(chart, event), onblur: () => near(chart, null, 0) },
        names = { role: "application", "aria-roledescription": "chart", "aria-label": label };
      chart.element = el("div.curve-lines", { tabindex: 0, ...names, ...listeners }, lines.element);
      return chart;
    });
    const titled = ({ measure, element }) => el("figure", el("figcaption", measure.label), element);
    const columns = { style: { "--columns": measures.length <= 3 ? measures.length : 2 } };
    const pickNamed = (name) => {
      const number = answer.runs.indexOf(name);
      if (!picked.includes(number)) toggle(number);
    };
    const none = button("Pick none", () => pick([]));
    place.replaceChildren(
      el(
        "div.toolbar",
        live ? measuresAndDepth(answer, app) : heldMeasures(answer, wanted, app),
        nameChooser("Pick a run", answer.runs, "", pickNamed),
        el("div.field", el("span.name", "\u00a0"), none),
      ),
      chips,
      el(
        "p.hint",
        `Means over topics at ranks 1 to ${answer.depth}, ${counted(answer.runs.length, "run")}; the dotted line is the ideal, the best ranking by the judgments. Point at a line to name it, click to pick it.`,
      ),
      el("div.curve-charts", columns, charts.map(titled)),
      status,
      tables,
    );
    refresh();
  },
});

/** The line of a picked run as its legend shows it. */
function swatch(n) {
  const { colour, dash } = lineStyle(n);
  const style = { stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dash.join(" ") };
  const line = svg("line", { x1: 0, x2: 22, y1: 5, y2: 5, style });
  return svg("svg", { width: 22, height: 10, "aria-hidden": "true" }, line);
}

/** The values of the picked runs at some ranks. */
function rankTable({ runs, ranks, values, ideal }, measures, picked) {
  const columns = [
    { title: "measure", value: ({ measure }) => measure },
    { title: "rank", numeric: true, value: ({ rank }) => rank, cell: ({ rank }) => rank },
    ...picked.map((run) => ({ title: runs[run], numeric: true, value: ({ place, at }) => values[place][run][at] })),
    { title: "ideal", numeric: true, value: ({ place, at }) => ideal[place][at] },
  ];
  const rows = measures.flatMap(({ label, place }) => ranks.map((rank, at) => ({ measure: label, place, rank, at })));
  const some = rows.filter(({ rank, at }) => TABLE_RANKS.includes(rank) || at === ranks.length - 1);
  return table(columns, some, { label: "Means at some ranks" });
}

/** Any measures, down to a rank, where there is a server. */
function measuresAndDepth({ measures, depth }, app) {
  const onChange = (texts) => app.change({ curves: texts.join(" ") });
  const setDepth = () => input.checkValidity() && app.change({ depth: input.value }),
    attributes = { type: "number", min: 1, max: 1000, value: depth, "data-key": "curve depth" };
  const input = el("input", { ...attributes, onchange: setDepth });
  return [measureInput({ key: "curve measures", chosen: measures, onChange }), field("Down to rank", input)];
}

/** The measures that a saved page holds. */
function heldMeasures({ measures }, wanted, app) {
  const take = () => {
    const kept = boxes.filter((box) => box.checked).map((box) => box.value);
    app.change({ curves: kept.length ? kept.join(" ") : undefined });
  };
  const boxes = measures.map(({ text }) =>
    el("input", { type: "checkbox", value: text, checked: !wanted || wanted.has(text), onchange: take }),
  );
  const labels = boxes.map((box, i) => el("label", box, ` ${measures[i].label}`));
  return el("fieldset.field", el("legend.name", "Measures"), el("div.row", labels));
}

// Measures by rank: the mean curve of every run, of which any number are picked.

import { el, field, shown, svg, unseen } from "./dom.js";
import { live, has, ask } from "./source.js";
import { table } from "./tables.js";
import { hideTip, showTip } from "./tips.js";
import { chip } from "./runs.js";
import { measureInput } from "./measures.js";
import { VIEWS, address, remember } from "./views.js";
import { lineStyle, drawLines } from "./linecharts.js";

const TABLE_RANKS = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000];

VIEWS.set("curves", {
  needs: "rankings",
  title: "Curves",
  async show(place, parameters, app) {
    const asked = {
      measures: parameters.get("measures") ?? undefined,
      depth: parameters.has("depth") ? Number(parameters.get("depth")) : undefined,
    };
    const answer = await ask("curves", has("curves", asked) ? asked : {}); // a saved page shows some of its measures
    const wanted = live || !asked.measures ? null : new Set(asked.measures.split(" "));
    const measures = answer.measures
      .map((measure, place) => ({ ...measure, place }))
      .filter(({ text }) => !wanted || wanted.has(text));
    const numbers = new Map(answer.runs.map((name, number) => [name, number]));
    const named = parameters.has("run") ? parameters.getAll("run").filter((name) => numbers.has(name)) : answer.picked;
    const state = { picked: named.map((name) => numbers.get(name)), near: null };
    const chosen = () => ({
      ...asked,
      run: state.picked.length ? state.picked.map((number) => answer.runs[number]) : "",
    });

    const chips = el("ul.chips", { "aria-label": "Picked runs" });
    const status = unseen("");
    status.setAttribute("role", "status");
    const tables = el("div");
    const charts = [];

    const change = (picked) => {
      state.picked = picked;
      remember(address("curves", chosen())); // the page stays as it is
      refresh();
    };
    const toggle = (number) =>
      change(
        state.picked.includes(number) ? state.picked.filter((other) => other !== number) : [...state.picked, number],
      );

    function refresh() {
      for (const chart of charts) chart.lines.pick(state.picked);
      chips.replaceChildren(
        ...state.picked.map((number, n) => {
          const item = chip(answer.runs[number], () => toggle(number), "picked");
          item.prepend(swatch(n));
          return item;
        }),
      );
      tables.replaceChildren(
        el("h3", "At some ranks"),
        table(
          [
            { title: "measure", value: (row) => row.measure },
            { title: "rank", numeric: true, value: (row) => row.rank, cell: (row) => String(row.rank) },
            ...state.picked.map((number) => ({
              title: answer.runs[number],
              numeric: true,
              value: (row) => answer.values[row.place][number][row.at],
            })),
            { title: "ideal", numeric: true, value: (row) => answer.ideal[row.place][row.at] },
          ],
          measures.flatMap(({ label, place }) =>
            answer.ranks
              .map((rank, at) => ({ measure: label, place, rank, at }))
              .filter(({ rank, at }) => TABLE_RANKS.includes(rank) || at === answer.ranks.length - 1),
          ),
          { label: "Means at some ranks" },
        ),
      );
    }

    /** Name the nearest line in the chart, and show it in the others. */
    function near(chart, line, at, { announce = false } = {}) {
      state.near = line;
      for (const each of charts) each.lines.near(line, at);
      if (line === null) hideTip();
      else {
        const values = answer.values[chart.measure.place],
          value = values[line][at];
        const better = values.filter((each) => each[at] > value).length;
        const text = `${chart.measure.text} ${shown(value)} at rank ${answer.ranks[at]}; ${better + 1} from the top of ${answer.runs.length}`;
        if (announce)
          status.textContent = `${answer.runs[line]}: ${text}${state.picked.includes(line) ? ", picked" : ""}`;
        showTip([answer.runs[line], text], ...chart.lines.position(line, at));
      }
      if (chart) Object.assign(chart, { line, at });
    }

    /** Arrow keys lead along a line and from line to line; Enter picks. */
    function press(chart, event) {
      const values = answer.values[chart.measure.place];
      let { line = state.picked[0] ?? 0, at = 0 } = chart;
      if (event.key === "ArrowLeft" || event.key === "ArrowRight")
        at = Math.min(answer.ranks.length - 1, Math.max(0, at + (event.key === "ArrowRight" ? 1 : -1)));
      else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
        const order = values
          .map((_, number) => number)
          .filter((number) => values[number][at] !== null)
          .sort((a, b) => values[a][at] - values[b][at] || b - a);
        line =
          order[Math.min(order.length - 1, Math.max(0, order.indexOf(line) + (event.key === "ArrowUp" ? 1 : -1)))] ??
          line;
      } else if (event.key === "Enter" || event.key === " ") toggle(line);
      else if (event.key === "Escape") return near(chart, null, 0);
      else return undefined;
      event.preventDefault();
      return near(chart, line, at, { announce: true });
    }

    const grid = el("div.curve-charts", { style: { "--columns": String(measures.length <= 3 ? measures.length : 2) } });
    for (const measure of measures) {
      const element = el("div.curve-lines", {
        tabIndex: 0,
        role: "application",
        "aria-roledescription": "chart",
        "aria-label": `${measure.words} by rank. Arrow keys lead from rank to rank and from run to run, Enter picks a run.`,
      });
      const drawing = el("div.drawing");
      element.append(drawing);
      const chart = { measure, element };
      grid.append(
        el("figure", el("figcaption", measure.label === measure.text ? measure.words : measure.label), element),
      );
      chart.lines = drawLines(drawing, {
        title: measure.words,
        xs: answer.ranks,
        values: answer.values[measure.place],
        ideal: answer.ideal[measure.place],
      });
      const follow = (event) => {
        const { line, place: at } = chart.lines.nearest(event);
        near(chart, line, at);
      };
      drawing.addEventListener("pointermove", follow);
      drawing.addEventListener("pointerleave", () => near(chart, null, 0));
      drawing.addEventListener("click", (event) => {
        follow(event);
        toggle(chart.line);
      });
      element.addEventListener("keydown", (event) => press(chart, event));
      element.addEventListener("blur", () => near(chart, null, 0));
      charts.push(chart);
    }
    place.replaceChildren(
      el(
        "div.toolbar",
        chooser(answer, wanted, app, chosen),
        search(answer.runs, (number) => state.picked.includes(number) || toggle(number)),
        el("div.field", el("span.name", "\u00a0"), el("button", { onclick: () => change([]) }, "Pick none")),
      ),
      chips,
      el(
        "p.hint",
        `Means over topics at ranks 1 to ${answer.depth}, ${answer.runs.length} ${answer.runs.length === 1 ? "run" : "runs"}; the dotted line is the ideal, the best ranking by the judgments. Point at a line to name it, click to pick it.`,
      ),
      grid,
      status,
      tables,
    );
    refresh();
  },
});

/** The line of a picked run as its legend shows it. */
function swatch(n) {
  const { colour, dash } = lineStyle(n);
  const stroke = { stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dash.join(" ") };
  return svg("svg", { width: 22, height: 10, "aria-hidden": "true" }, svg("line", { x1: 0, x2: 22, y1: 5, y2: 5, ...stroke }));
}

/** Find a run by its name. */
function search(runs, pick) {
  const options = el("datalist", { id: "curve-runs" }, runs.map((name) => el("option", { value: name })));
  const input = el("input", {
    type: "search",
    id: "curve-run",
    placeholder: "name of a run",
    autocomplete: "off",
    oninput: () => {
      const number = runs.indexOf(input.value);
      if (number < 0) return;
      pick(number);
      input.value = "";
    },
  });
  input.setAttribute("list", "curve-runs");
  return field("Pick a run", el("span", input, options));
}

/** The measures: any text where there is a server, else those that the page holds. */
function chooser({ measures, depth: drawn }, wanted, app, chosen) {
  if (live) {
    const depth = el("input", {
      type: "number",
      min: 1,
      max: 1000,
      value: String(drawn),
      "data-key": "curve depth",
      onchange: () => depth.checkValidity() && app.go("curves", { ...chosen(), depth: depth.value }),
    });
    return [
      measureInput({
        key: "curve measures",
        chosen: measures,
        onChange: (texts) => app.go("curves", { ...chosen(), measures: texts.join(" ") }),
      }),
      field("Down to rank", depth),
    ];
  }
  return el(
    "fieldset.field",
    el("legend.name", "Measures"),
    el(
      "div.row",
      measures.map(({ text }) => {
        const box = el("input", {
          type: "checkbox",
          checked: !wanted || wanted.has(text),
          onchange: () => {
            const kept = measures
              .map((each) => each.text)
              .filter((each) => (each === text ? box.checked : !wanted || wanted.has(each)));
            app.go("curves", { ...chosen(), measures: kept.length ? kept.join(" ") : undefined });
          },
        });
        return el("label", box, ` ${text}`);
      }),
    ),
  );
}

// Topics by runs: a heat map, or a table of the same numbers; and two runs against each other.

import { button, choose, el, shown, signed } from "./dom.js";
import { VIEWS, address, read } from "./views.js";
import { ask, has, live } from "./source.js";
import { table } from "./tables.js";
import { runPicker, runsOf, runsParameter } from "./runs.js";
import { measureInput } from "./measures.js";
import { nameChooser } from "./choosers.js";
import { heatmap, legendOf } from "./heatmap.js";
import { scatterPlot } from "./scatter.js";
import { diverging, sequential } from "./colours.js";

const PAGE_SIZE = 100; // topics
const ORDER_NAMES = {
  hardest: "hardest first",
  easiest: "easiest first",
  spread: "runs differ most",
  difference: "largest losses first",
  topic: "name",
};

/** The cells as values, or as differences from a run on each topic: {value(r, c), text, colour, legend}. */
function cellsOf({ values, domain, measure }, base, x) {
  const { label, direction } = measure;
  if (!base) {
    const [low, high] = domain,
      title = `${label}${direction < 0 ? " (lower is better)" : ""}`;
    return {
      value: (r, c) => values[r][c],
      text: shown,
      colour: (value) => sequential((value - low) / (high - low || 1)),
      legend: legendOf(sequential, 0, 1, [shown(low, 2), shown(high, 2)], title),
    };
  }
  const value = (r, c) => (values[r][c] === null || base[r] === null ? null : values[r][c] - base[r]);
  const reach = Math.max(...values.flatMap((row, r) => row.map((_, c) => Math.abs(value(r, c) ?? 0))), 1e-9),
    ends = [`worse by ${shown(reach, 2)}`, `better by ${shown(reach, 2)}`];
  return {
    value,
    text: signed,
    colour: (each) => diverging(((direction || 1) * each) / reach),
    legend: legendOf(diverging, -1, 1, ends, `${label} against ${x}`),
  };
}

/** What a saved page can be asked for: it has all runs, and leaves some out when it shows them. */
function askable(request) {
  const { measure, order, first } = request;
  return live || has("topics", request) ? request : { measure, order, first };
}

/** The answer with the columns of the chosen runs alone. */
function narrowed(answer, chosen) {
  if (live || !chosen?.length) return answer;
  const kept = answer.runs.map((_, c) => c).filter((c) => chosen.includes(answer.runs[c])),
    of = (row) => kept.map((c) => row[c]);
  return { ...answer, runs: of(answer.runs), means: of(answer.means), values: answer.values.map(of) };
}

/** Runs x and y on all topics: from the answer if it has them all; null if a saved page does not hold them. */
async function pairOf({ runs, topics, texts, values, total }, session, request) {
  const [i, j] = [runs.indexOf(request.x), runs.indexOf(request.y)];
  const note = new Map(topics.map((name, r) => [name, texts?.[r]]));
  const point = (name, x, y) => ({ name, note: note.get(name), x, y });
  if (total === topics.length && i >= 0 && j >= 0)
    return topics.map((name, r) => point(name, values[r][i], values[r][j]));
  if (!has("scatter", request)) return null;
  const { x, y } = await ask("scatter", request);
  return session.topics.map((name, k) => point(name, x[k], y[k]));
}

function pager({ first, total, topics }, change) {
  const last = first + topics.length;
  if (total <= topics.length) return null;
  const to = (text, place, disabled) => {
    const turn = () => change({ first: place || undefined, topic: undefined });
    return button(text, turn, { disabled, "data-key": `page ${text}` });
  };
  const [from, until, all] = [first + 1, last, total].map((number) => number.toLocaleString("en"));
  return el(
    "p.row.pager",
    { "aria-label": "Pages of topics" },
    to("Previous", Math.max(0, first - PAGE_SIZE), first === 0),
    el("span", `topics ${from}–${until} of ${all}`),
    to("Next", first + PAGE_SIZE, last >= total),
  );
}

VIEWS.set("topics", {
  title: "Topics",
  needs: "by_topic",
  saves: ["table", "figure"],
  async show(place, parameters, app) {
    const { session, change } = app,
      asked = read(parameters, "measure", "order", "cells", "x", "y", "first", "topic", "as"),
      chosen = runsOf(parameters, session.runs),
      order = asked.order ?? "hardest",
      byDifference = asked.cells === "difference",
      needsPair = order === "difference" || byDifference;
    if (needsPair && !(asked.x && asked.y)) {
      // a link may name no runs
      const { runs } = await ask("topics", { measure: asked.measure });
      const x = asked.x ?? session.baseline ?? runs.find((name) => name !== asked.y) ?? runs[0];
      return change({ x, y: asked.y ?? runs.find((name) => name !== x) ?? x }, { replace: true });
    }
    const request = {
      measure: asked.measure,
      order: asked.order,
      runs: chosen?.length ? chosen : undefined,
      ...(needsPair && { run: asked.y, against: asked.x }),
      first: Number(asked.first) > 0 ? Number(asked.first) : undefined,
      topic: asked.topic,
    };
    const whole = await ask("topics", askable(request)),
      answer = narrowed(whole, chosen);
    const { runs, topics, texts, measure } = answer;
    const y = asked.y ?? runs.find((name) => name !== (asked.x ?? session.baseline)) ?? runs[0],
      x = asked.x ?? session.baseline ?? runs.find((name) => name !== y) ?? runs[0];
    const several = session.runs.length > 1;
    const open = (topic, ...names) => app.go("ranking", { topic, run: [...new Set(names)] });
    const orders = Object.entries(ORDER_NAMES).filter(([name]) => {
      if (!several && (name === "spread" || name === "difference")) return false;
      const other = askable({ ...request, order: name === "hardest" ? undefined : name });
      return name === order || has("topics", name === "difference" ? { ...other, run: y, against: x } : other);
    });
    const setOrder = (name) =>
      change({
        order: name === "hardest" ? undefined : name,
        first: undefined,
        topic: undefined,
        ...(name === "difference" && { x, y }),
      });
    const setMeasure = (text) => change({ measure: text });
    const held = session.measures.filter((text) => has("topics", { measure: text }));
    const kinds = [["", "values"], ["difference", `differences from ${x}`]];
    const controls = el(
      "div.toolbar",
      live
        ? measureInput({
            key: "measure",
            label: "Measure",
            single: true,
            chosen: [measure],
            onChange: ([text]) => setMeasure(text),
          })
        : choose("Measure", "measure", held.map((text) => [text, text]), measure.text, setMeasure),
      runPicker({
        all: session.runs,
        chosen,
        ranked: chosen ? null : runs,
        onChange: (list) => change({ run: runsParameter(list) }),
      }),
      choose("Order of topics", "order", orders, order, setOrder),
      several &&
        choose("Cells", "cells", kinds, asked.cells ?? "", (kind) =>
          change({ cells: kind || undefined, ...(kind && { x, y }) }),
        ),
      nameChooser(
        "Find a topic",
        session.topics,
        asked.topic ?? "",
        (name) => change({ topic: name || undefined, first: undefined }),
        { key: "find topic", optional: true },
      ),
      choose("Show as", "as", [["", "heat map"], ["table", "table"]], asked.as ?? "", (as) =>
        change({ as: as || undefined }),
      ),
    );
    const base = answer.base ?? whole.values.map((row) => row[whole.runs.indexOf(x)] ?? null);
    const cells = cellsOf(answer, byDifference ? base : null, x);
    const rows = topics.map((name, r) => ({
      name,
      r,
      note: texts?.[r] ?? "",
      href: address("ranking", { topic: name, run: runs.slice(0, 1) }),
    }));
    const linkOf = ({ name, href }) => el("a", { href }, name);
    const asTable = () =>
      table(
        [
          { key: "topic", title: "Topic", value: ({ name }) => name, cell: linkOf },
          ...(texts ? [{ key: "query", title: "Query", value: ({ note }) => note }] : []),
          { key: "all runs", title: "All runs", numeric: true, value: ({ r }) => answer.difficulty[r] },
          ...runs.map((run, c) => ({
            key: `run ${run}`,
            title: run,
            numeric: true,
            value: ({ r }) => cells.value(r, c),
            cell: ({ r }) => cells.text(cells.value(r, c)),
          })),
        ],
        rows,
        { label: "Values of topics" },
      );
    const asHeatmap = () =>
      heatmap({
        label: `${measure.label} of ${topics.length} topics and ${runs.length} runs`,
        rows,
        columns: runs.map((name, c) => ({ name, note: `mean ${shown(answer.means[c])}` })),
        value: cells.value,
        colour: cells.colour,
        lines: (r, c) => [
          `${runs[c]}, topic ${topics[r]}`,
          texts?.[r],
          `${measure.label} ${shown(answer.values[r][c])}`,
          byDifference && `${signed(cells.value(r, c))} against ${x}`,
          `mean over all runs ${shown(answer.difficulty[r])}`,
        ],
        open: (r, c) => open(topics[r], runs[c]),
        marked: topics.indexOf(asked.topic),
      });
    const none = chosen?.length === 0,
      cellsShown = asked.as === "table" ? asTable : asHeatmap;
    const points = several && !none && (await pairOf(whole, session, { measure: asked.measure, x, y }));
    return place.replaceChildren(
      controls,
      el(
        "div.split",
        el(
          "section",
          { "aria-label": "Topics by runs" },
          el("h2", `${measure.label} by topic and run`),
          cells.legend,
          none ? el("p.empty", "No run is chosen. Choose some under “Runs”.") : cellsShown(),
          pager(answer, change),
          answer.runs_left_out > 0 &&
            el(
              "p.note",
              `${answer.runs_left_out} of ${answer.runs_left_out + runs.length} runs are left out: these are the ${chosen ? "first of the chosen" : "best"} ones. Choose others under “Runs”.`,
            ),
        ),
        several && !none && pairSection(answer, session, points, { x, y, change, open, marked: asked.topic }),
      ),
    );
  },
});

/** Two runs against each other, with a choice of both. */
function pairSection({ measure, domain }, session, points, { x, y, change, open, marked }) {
  const names = session.runs.map((name) => [name, name]),
    way = measure.direction;
  const choices = el(
    "div.toolbar",
    choose("Across", "x", names, x, (value) => change({ x: value, y })),
    choose("Upwards", "y", names, y, (value) => change({ x, y: value })),
  );
  const section = (...parts) =>
    el("section.pair", { "aria-label": "Two runs" }, el("h2", "Two runs, topic by topic"), choices, parts);
  if (!points) return section(el("p.empty", "This saved page does not hold these two runs."));
  const known = points.filter((point) => point.x !== null && point.y !== null),
    better = known.filter((each) => (each.y - each.x) * (way || 1) > 0).length,
    same = known.filter((each) => each.y === each.x).length,
    unknown = points.length - known.length;
  const label = `${measure.label} of ${x} and ${y}`;
  return section(
    scatterPlot({ label, points, domain, titles: [x, y], better: way, marked, open: ({ name }) => open(name, x, y) }),
    el(
      "p.note",
      `${y} is ${way ? "better" : "higher"} on ${better}, equal on ${same} and ${way ? "worse" : "lower"} on ${known.length - better - same} topics`,
      unknown ? `; ${unknown} have no value.` : ".",
    ),
  );
}

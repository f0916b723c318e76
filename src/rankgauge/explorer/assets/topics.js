// Topics by runs: a heat map, or a table of the same numbers; and two runs against each other.

import { choose, el, shown, signed } from "./dom.js";
import { VIEWS, address } from "./views.js";
import { ask, has, live } from "./source.js";
import { table } from "./tables.js";
import { runPicker, runsOf, runsParameter } from "./runs.js";
import { measureInput } from "./measures.js";
import { topicChooser } from "./topic-chooser.js";
import { heatmap, legendOf } from "./heatmap.js";
import { scatterPlot } from "./scatter.js";
import { diverging, sequential } from "./colours.js";

const ORDER_NAMES = {
  hardest: "hardest first",
  easiest: "easiest first",
  spread: "runs differ most",
  difference: "largest losses first",
  topic: "name",
};

/** The cells as values, or as differences from a run. */
function cellsOf(answer, parameters, x) {
  const column = answer.runs.indexOf(x);
  const base = answer.base ?? (column < 0 ? null : answer.values.map((row) => row[column]));
  const [low, high] = answer.domain;
  if (parameters.get("cells") !== "difference" || !base) {
    const way = answer.measure.direction < 0 ? " (lower is better)" : "";
    const colour = (value) => sequential((value - low) / (high - low || 1));
    return {
      value: (r, c) => answer.values[r][c],
      colour,
      legend: legendOf(sequential, 0, 1, [shown(low, 2), shown(high, 2)], `${answer.measure.label}${way}`),
      text: shown,
    };
  }
  const value = (r, c) => (answer.values[r][c] === null || base[r] === null ? null : answer.values[r][c] - base[r]);
  const reach = Math.max(...answer.values.flatMap((row, r) => row.map((_, c) => Math.abs(value(r, c) ?? 0))), 1e-9),
    way = answer.measure.direction || 1;
  return {
    value,
    colour: (each) => diverging((way * each) / reach),
    legend: legendOf(
      diverging,
      -1,
      1,
      [`worse by ${shown(reach, 2)}`, `better by ${shown(reach, 2)}`],
      `${answer.measure.label} against ${x}`,
    ),
    text: signed,
  };
}

/** What a saved page can be asked for: it has all runs, and leaves some out when it shows them. */
function askable(request) {
  return live || has("topics", request)
    ? request
    : { measure: request.measure, order: request.order, first: request.first };
}

/** The answer with the columns of the chosen runs alone. */
function narrowed(answer, chosen) {
  if (live || !chosen?.length) return answer;
  const kept = answer.runs.map((_, c) => c).filter((c) => chosen.includes(answer.runs[c])),
    of = (row) => kept.map((c) => row[c]);
  return { ...answer, runs: of(answer.runs), means: of(answer.means), values: answer.values.map(of) };
}

/** Runs x and y on all topics: from the answer if it has them all. */
async function pairOf(answer, session, measure, x, y) {
  const [i, j] = [answer.runs.indexOf(x), answer.runs.indexOf(y)];
  const note = new Map(answer.topics.map((name, r) => [name, answer.texts?.[r]]));
  if (answer.total === answer.topics.length && i >= 0 && j >= 0)
    return answer.topics.map((name, r) => ({
      name,
      note: note.get(name),
      x: answer.values[r][i],
      y: answer.values[r][j],
    }));
  if (!has("scatter", { measure, x, y })) return null;
  const values = await ask("scatter", { measure, x, y });
  return session.topics.map((name, k) => ({ name, note: note.get(name), x: values.x[k], y: values.y[k] }));
}

function pager(answer, size, go) {
  const { first, total } = answer,
    last = first + answer.topics.length;
  if (total <= answer.topics.length) return null;
  const button = (text, to, off) =>
    el(
      "button",
      {
        disabled: off,
        "data-key": `page ${text}`,
        onclick: () => go({ first: to || undefined, topic: undefined }),
      },
      text,
    );
  return el(
    "p.row.pager",
    { "aria-label": "Pages of topics" },
    button("Previous", Math.max(0, first - size), first === 0),
    el(
      "span",
      `topics ${(first + 1).toLocaleString("en")}–${last.toLocaleString("en")} of ${total.toLocaleString("en")}`,
    ),
    button("Next", first + size, last >= total),
  );
}

VIEWS.set("topics", {
  title: "Topics",
  needs: "by_topic",
  async show(place, parameters, app) {
    const { session } = app,
      get = (name) => parameters.get(name) || undefined;
    const chosen = runsOf(parameters, session.runs),
      order = get("order") ?? "hardest";
    const needsPair = order === "difference" || parameters.get("cells") === "difference";
    const request = (changes = {}) => {
      const of = (name) => (name in changes ? changes[name] : get(name));
      const first = Number(of("first"));
      return {
        measure: of("measure"),
        order: of("order"),
        runs: chosen?.length ? chosen : undefined,
        run: needsPair ? of("y") : undefined,
        against: needsPair ? of("x") : undefined,
        first: first > 0 ? first : undefined,
        topic: of("topic"),
      };
    };
    if (needsPair && !(get("x") && get("y"))) {
      // a link may name no runs
      const { runs } = await ask("topics", { measure: get("measure") });
      const x = get("x") ?? session.baseline ?? runs.find((name) => name !== get("y")) ?? runs[0];
      return app.go(
        "topics",
        {
          ...Object.fromEntries(parameters),
          run: runsParameter(chosen),
          x,
          y: get("y") ?? runs.find((name) => name !== x) ?? x,
        },
        { replace: true },
      );
    }
    const whole = await ask("topics", askable(request())),
      answer = narrowed(whole, chosen);
    const y = get("y") ?? answer.runs.find((name) => name !== (get("x") ?? session.baseline)) ?? answer.runs[0],
      x = get("x") ?? session.baseline ?? answer.runs.find((name) => name !== y) ?? answer.runs[0];
    const go = (changes) =>
      app.go("topics", {
        measure: get("measure"),
        order: get("order"),
        cells: get("cells"),
        run: runsParameter(chosen),
        x: get("x"),
        y: get("y"),
        first: get("first"),
        topic: get("topic"),
        as: get("as"),
        ...changes,
      });
    const open = (topic, ...runs) => app.go("ranking", { topic, run: [...new Set(runs)] });
    const several = session.runs.length > 1,
      table_ = get("as") === "table";
    const pairs = session.runs.map((name) => [name, name]);
    const orders = Object.entries(ORDER_NAMES).filter(
      ([name]) =>
        (several || (name !== "spread" && name !== "difference")) &&
        (name === order ||
          has("topics", {
            ...askable(request({ order: name === "hardest" ? undefined : name })),
            ...(name === "difference" ? { run: y, against: x } : {}),
          })),
    );
    const controls = el(
      "div.toolbar",
      live
        ? measureInput({
            key: "measure",
            label: "Measure",
            single: true,
            chosen: [answer.measure],
            onChange: ([text]) => go({ measure: text }),
          })
        : choose(
            "Measure",
            "measure",
            session.measures.filter((text) => has("topics", { measure: text })).map((text) => [text, text]),
            answer.measure.text,
            (text) => go({ measure: text }),
          ),
      runPicker({
        all: session.runs,
        chosen,
        ranked: chosen ? null : answer.runs,
        onChange: (list) => go({ run: runsParameter(list) }),
      }),
      choose(
        "Order of topics",
        "order",
        orders,
        order,
        (value) =>
          go({
            order: value === "hardest" ? undefined : value,
            first: undefined,
            topic: undefined,
            ...(value === "difference" ? { x, y } : {}),
          }),
      ),
      several &&
        choose(
          "Cells",
          "cells",
          [["", "values"], ["difference", `differences from ${x}`]],
          get("cells") ?? "",
          (value) => go({ cells: value || undefined, ...(value ? { x, y } : {}) }),
        ),
      topicChooser({
        key: "find topic",
        label: "Find a topic",
        topics: session.topics,
        chosen: get("topic") ?? "",
        onChange: (name) => go({ topic: name || undefined, first: undefined }),
      }),
      choose(
        "Show as",
        "as",
        [["", "heat map"], ["table", "table"]],
        get("as") ?? "",
        (value) => go({ as: value || undefined }),
      ),
    );
    const cells = cellsOf(
      live ? answer : { ...answer, base: answer.base ?? whole.values.map((row) => row[whole.runs.indexOf(x)] ?? null) },
      parameters,
      x,
    );
    const rows = answer.topics.map((name, r) => ({
      name,
      r,
      note: answer.texts?.[r] ?? "",
      href: address("ranking", { topic: name, run: answer.runs.slice(0, 1) }),
    }));
    const lines = (r, c) => [
      `${answer.runs[c]}, topic ${answer.topics[r]}`,
      answer.texts?.[r],
      `${answer.measure.label} ${shown(answer.values[r][c])}`,
      parameters.get("cells") === "difference" && `${signed(cells.value(r, c))} against ${x}`,
      `mean over all runs ${shown(answer.difficulty[r])}`,
    ];
    const view =
      chosen?.length === 0
        ? el("p.empty", "No run is chosen. Choose some under “Runs”.")
        : table_
          ? table(
              [
                {
                  key: "topic",
                  title: "Topic",
                  value: ({ name }) => name,
                  cell: ({ name, href }) => el("a", { href }, name),
                },
                ...(answer.texts ? [{ key: "query", title: "Query", value: ({ note }) => note }] : []),
                { key: "all runs", title: "All runs", numeric: true, value: ({ r }) => answer.difficulty[r] },
                ...answer.runs.map((run, c) => ({
                  key: `run ${run}`,
                  title: run,
                  numeric: true,
                  value: ({ r }) => cells.value(r, c),
                  cell: ({ r }) => cells.text(cells.value(r, c)),
                })),
              ],
              rows,
              { label: "Values of topics" },
            )
          : heatmap({
              label: `${answer.measure.label} of ${answer.topics.length} topics and ${answer.runs.length} runs`,
              rows,
              columns: answer.runs.map((name, c) => ({ name, note: `mean ${shown(answer.means[c])}` })),
              value: cells.value,
              colour: cells.colour,
              lines,
              open: (r, c) => open(answer.topics[r], answer.runs[c]),
              marked: answer.topics.indexOf(get("topic")),
            });
    place.replaceChildren(
      ...[
        controls,
        el(
          "div.split",
          el(
            "section",
            { "aria-label": "Topics by runs" },
            el("h2", `${answer.measure.label} by topic and run`),
            cells.legend,
            view,
            pager(answer, 100, go),
            answer.runs_left_out > 0 &&
              el(
                "p.note",
                `${answer.runs_left_out} of ${answer.runs_left_out + answer.runs.length} runs are left out: these are the ${chosen ? "first of the chosen" : "best"} ones. Choose others under “Runs”.`,
              ),
          ),
          several &&
            chosen?.length !== 0 &&
            (await pairSection({
              answer: whole,
              session,
              measure: get("measure"),
              x,
              y,
              pairs,
              go,
              open,
              marked: get("topic"),
            })),
        ),
      ],
    );
    return undefined;
  },
});

/** Two runs against each other, with a choice of both. */
async function pairSection({ answer, session, measure, x, y, pairs, go, open, marked }) {
  const points = await pairOf(answer, session, measure, x, y);
  const known = (points ?? []).filter((point) => point.x !== null && point.y !== null),
    way = answer.measure.direction;
  const count = (test) => known.filter(test).length,
    better = count((each) => (each.y - each.x) * (way || 1) > 0),
    same = count((each) => each.y === each.x);
  return el(
    "section.pair",
    { "aria-label": "Two runs" },
    el("h2", "Two runs, topic by topic"),
    el(
      "div.toolbar",
      choose("Across", "x", pairs, x, (value) => go({ x: value, y })),
      choose("Upwards", "y", pairs, y, (value) => go({ x, y: value })),
    ),
    points
      ? scatterPlot({
          label: `${answer.measure.label} of ${x} and ${y}`,
          points,
          domain: answer.domain,
          titles: [x, y],
          better: way,
          marked,
          open: ({ name }) => open(name, x, y),
        })
      : el("p.empty", "This saved page does not hold these two runs."),
    points &&
      el(
        "p.note",
        `${y} is ${way ? "better" : "higher"} on ${better}, equal on ${same} and ${way ? "worse" : "lower"} on ${known.length - better - same} topics${known.length < points.length ? `; ${points.length - known.length} have no value` : ""}.`,
      ),
  );
}

// Topics by runs: a heat map, or a table of the same numbers; and two runs against each other.

import { button, choose, counted, el, shown, signed } from "./dom.js";
import { VIEWS, address, read } from "./views.js";
import { ask, has, live } from "./source.js";
import { table } from "./tables.js";
import { runPicker } from "./runs.js";
import { measureChoice } from "./measures.js";
import { ORDER_NAMES, finder, found, keepOrder } from "./choosers.js";
import { heatmap, legendOf } from "./heatmap.js";
import { scatterPlot, smallScatter } from "./scatter.js";
import { diverging, sequential } from "./colours.js";

const PAGE_SIZE = 100; // topics

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

/** What a saved page can be asked for: it has all runs and topics, and leaves some out when it shows them. */
function askable(request) {
  const { measure, order } = request;
  return live ? request : { measure, order };
}

/** The answer to a request; of a saved page, on all topics, which it holds a page at a time. */
async function answerTo(request) {
  const answer = await ask("topics", askable(request));
  if (live) return answer;
  const pages = [answer];
  for (let first = PAGE_SIZE; first < answer.total; first += PAGE_SIZE)
    pages.push(await ask("topics", { ...askable(request), first }));
  const joined = (name) => pages.flatMap((page) => page[name]);
  return { ...answer, topics: joined("topics"), difficulty: joined("difficulty"), values: joined("values") };
}

/** The answer with the rows of some topics and the columns of the chosen runs alone. */
function narrowed(answer, topics, chosen) {
  const some = (names, kept) => [...names.keys()].filter((i) => kept.includes(names[i])),
    rows = some(answer.topics, topics),
    columns = some(answer.runs, live || !chosen?.length ? answer.runs : chosen);
  const [ofRows, ofColumns] = [rows, columns].map((places) => (list) => places.map((i) => list[i]));
  return {
    ...answer,
    topics: ofRows(answer.topics),
    difficulty: ofRows(answer.difficulty),
    base: answer.base && ofRows(answer.base),
    runs: ofColumns(answer.runs),
    means: ofColumns(answer.means),
    values: ofRows(answer.values).map(ofColumns),
  };
}

/** Runs x and y on all topics: from the answer if it has them all; null if a saved page does not hold them. */
async function pairOf({ runs, topics, values }, session, request) {
  const [i, j] = [runs.indexOf(request.x), runs.indexOf(request.y)];
  const point = (name, x, y) => ({ name, note: session.queries.get(name), x, y });
  if (topics.length === session.topics.length && i >= 0 && j >= 0)
    return topics.map((name, r) => point(name, values[r][i], values[r][j]));
  if (!has("scatter", request)) return null;
  const { x, y } = await ask("scatter", request);
  return session.topics.map((name, k) => point(name, x[k], y[k]));
}

function valueIn({ topics, runs, values }, topic, run) {
  return values[topics.indexOf(topic)][runs.indexOf(run)] ?? null;
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
  saves: ["table", "figure"],
  async show(place, parameters, app) {
    const { session, state, change } = app,
      asked = read(parameters, "order", "cells", "first", "find", "segment", "as"),
      { chosen, topic } = state,
      [x, y] = state.pair,
      { queries, segments } = session,
      order = asked.order in ORDER_NAMES ? asked.order : "hardest",
      byDifference = asked.cells === "difference",
      several = session.runs.length > 1;
    const inside = segments.has(asked.segment) ? new Set(segments.get(asked.segment)) : null;
    const request = {
      measure: state.measure,
      order: order === "hardest" ? undefined : order,
      runs: chosen?.length ? chosen : undefined,
      ...((order === "difference" || byDifference) && { run: y, against: x }),
      first: Number(asked.first) > 0 ? Number(asked.first) : undefined,
      topic: session.topics.length > PAGE_SIZE ? topic : undefined,
      find: session.topics.length > PAGE_SIZE ? asked.find : undefined,
      segment: inside && session.topics.length > PAGE_SIZE ? asked.segment : undefined,
    };
    const wanted = (names) => found(names, asked.find ?? "", queries).filter((name) => !inside || inside.has(name));
    const whole = await answerTo(request),
      names = wanted(whole.topics),
      start = live ? whole.first : request.first < names.length ? request.first : 0,
      answer = narrowed(whole, live ? names : names.slice(start, start + PAGE_SIZE), chosen);
    const { runs, topics, measure } = answer;
    const ranking = (name, ...others) => {
      const first = others.length && order !== "difference" ? [] : [x, y]; // which are part of the order
      return { topic: name, order, pair: [...new Set([...first, ...others])] };
    };
    const open = (...names) => app.go("ranking", ranking(...names));
    const orders = Object.entries(ORDER_NAMES).filter(([name]) => {
      if (!several && (name === "spread" || name === "difference")) return false;
      const other = askable({ ...request, order: name === "hardest" ? undefined : name });
      return name === order || has("topics", name === "difference" ? { ...other, run: y, against: x } : other);
    });
    const setOrder = (name) => change({ order: name, first: undefined, topic: undefined });
    const held = session.measure_names.filter(([text]) => has("topics", { measure: text }));
    const choice = (label, name, options) =>
      choose(label, name, options, asked[name] ?? "", (value) => change({ [name]: value || undefined }));
    const segment = inside ? asked.segment : "",
      allSegments = [["", "all topics"], ...segments.keys()],
      setSegment = (name) => change({ segment: name || undefined, first: undefined, topic: undefined });
    const find = (text) => change({ find: text || undefined, first: undefined, topic: undefined }, { replace: true });
    const controls = el(
      "div.toolbar",
      measureChoice(held, measure, (text) => change({ measure: text })),
      runPicker({ all: session.runs, chosen, ranked: chosen ? null : runs, onChange: change }),
      choose("Order of topics", "order", orders, order, setOrder),
      several && choice("Cells", "cells", Object.entries({ "": "values", difference: `differences from ${x}` })),
      finder("Find topics", asked.find ?? "", queries.size ? "name or words" : "part of a name", find),
      segments.size > 0 && choose("Segment", "segment", allSegments, segment, setSegment),
      choice("Show as", "as", Object.entries({ "": "heat map", table: "table" })),
    );
    const base = answer.base ?? topics.map((name) => valueIn(whole, name, x));
    const cells = cellsOf(answer, byDifference ? base : null, x);
    const rows = topics.map((name, r) => {
      return { name, r, note: queries.get(name) ?? "", href: address("ranking", ranking(name)) };
    });
    const linkOf = ({ name, note }) => {
      const links = (event) => [...event.target.closest("tbody").querySelectorAll("th a")],
        onclick = (event) => keepOrder(links(event).map(({ dataset }) => dataset.topic)),
        href = address("ranking", { ...ranking(name), order: "table" });
      return el(note ? "a.query" : "a", { href, onclick, "data-topic": name, title: note }, note || name);
    };
    const ofRun = (run, c) => {
      const [value, cell] = [({ r }) => cells.value(r, c), ({ r }) => cells.text(cells.value(r, c))];
      return { key: `run ${run}`, title: run, numeric: true, value, cell };
    };
    const columns = [
      ...(queries.size ? [{ key: "query", title: "Query", value: ({ note, name }) => note || name, cell: linkOf }] : []),
      { key: "topic", title: "Topic", value: ({ name }) => name, cell: queries.size ? undefined : linkOf },
      { key: "all runs", title: "All runs", numeric: true, value: ({ r }) => answer.difficulty[r] },
      ...runs.map(ofRun),
    ];
    const asTable = () => table(columns, rows, { label: "Values of topics" });
    const asHeatmap = () =>
      heatmap({
        label: `${measure.label} of ${topics.length} topics and ${runs.length} runs`,
        rows,
        columns: runs.map((name, c) => ({ name, note: `mean ${shown(answer.means[c])}` })),
        value: cells.value,
        colour: cells.colour,
        lines: (r, c) => [
          `${runs[c]}, topic ${topics[r]}`,
          queries.get(topics[r]),
          `${measure.label} ${shown(answer.values[r][c])}`,
          byDifference && `${signed(cells.value(r, c))} against ${x}`,
          `mean over all runs ${shown(answer.difficulty[r])}`,
        ],
        open: (r, c) => open(topics[r], x, runs[c]),
        marked: topics.indexOf(topic),
      });
    const none = chosen?.length === 0,
      noTopic = !topics.length && `No topic${inside ? " of the segment" : ""} has all words of “${asked.find}”.`,
      nothing = none ? "No run is chosen. Choose some under “Runs”." : noTopic,
      cellsShown = asked.as === "table" ? asTable : asHeatmap;
    const isFound = new Set(wanted(session.topics)),
      all = several && !none && (await pairOf(whole, session, { measure: state.measure, x, y })),
      points = all && all.filter(({ name }) => isFound.has(name)),
      inSegments = all && smallMultiples(answer, segments, all, segment, [x, y]),
      left = answer.runs_left_out,
      leftOut = `${left} of ${left + runs.length} runs are left out: these are the ${chosen ? "first of the chosen" : "best"} ones. Choose others under “Runs”.`;
    const byRun = el(
      "section",
      { "aria-label": "Topics by runs" },
      el("h2", `${measure.label} by topic and run`),
      asked.as !== "table" && cells.legend,
      nothing ? el("p.empty", nothing) : cellsShown(),
      pager({ first: start, total: live ? whole.total : names.length, topics }, change),
      left > 0 && el("p.note", leftOut),
    );
    const byPair =
      several && !none && pairSection(answer, session, points, { x, y, change, open, marked: topic }, inSegments);
    return place.replaceChildren(controls, el("div.split", byRun, byPair));
  },
});

/** Two runs against each other in each segment: small plots of equal axes, which lead to the topics of theirs. */
function smallMultiples({ measure, domain }, segments, points, chosen, [x, y]) {
  const to = (segment) => address("topics", { segment, topic: null }); // the page may be built before it is shown
  const plots = [...segments].map(([name, topics]) => {
    const inside = new Set(topics),
      known = points.filter((point) => inside.has(point.name) && point.x !== null && point.y !== null),
      sum = known.reduce((before, point) => before + point.y - point.x, 0),
      label = `${measure.label} of ${x} and ${y} in ${name}`;
    const link = el("a", { href: to(name), "aria-current": name === chosen && "true" }, name),
      note = `${counted(known.length, "topic")}, ${signed(known.length ? sum / known.length : null)}`,
      plot = smallScatter({ label, points: known, domain, better: measure.direction });
    return el("figure", plot, el("figcaption", link, el("span.note", note)));
  });
  return plots.length > 0 && [el("h2", `In segments: mean of ${y} minus ${x}`), el("div.multiples", plots)];
}

/** Two runs against each other, with a choice of both, and what follows below. */
function pairSection({ measure, domain }, session, points, { x, y, change, open, marked }, below) {
  const way = measure.direction;
  const choices = el(
    "div.toolbar",
    choose("Across", "x", session.runs, x, (value) => change({ pair: [value, y] })),
    choose("Upwards", "y", session.runs, y, (value) => change({ pair: [x, value] })),
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
    below ?? [],
  );
}

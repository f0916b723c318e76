// What came of judging: decisions, agreement, the leaderboard as judgments come in, and files of judgments.

import { choose, counted, el, field, select, shown, signed, submitButton, svg } from "./dom.js";
import { send } from "./source.js";
import { dotsPath, nearestPoint, pointing } from "./plot.js";
import { lineChart, lineLegend } from "./linecharts.js";
import { RUN_COLOURS } from "./colours.js";
import { measureInput } from "./measures.js";
import { table, whole } from "./tables.js";
import { changed } from "./views.js";
import { saveBytes } from "./saving.js";
import { gradeName, idInAddress } from "./judge-card.js";

const COLOURED = 7; // runs with a colour of their own
const TABLE_TITLES = { agreement: "Agreement", pairs: "Every two assessors", grades: "Grades", topics: "Topics" };

/** The columns of topics and documents, of rows that begin with the topic, the id and the name. */
function placeColumns({ session: { queries } }) {
  const query = ([topic]) => queries.get(topic) || topic;
  const href = (topic, id) => changed({ part: undefined, topic, document: idInAddress(id) });
  const cell = ([topic, id, name]) => el("a", { href: href(topic, id) }, name);
  return [
    { title: "topic", value: query, cell: (row) => el("span", { title: row[0] }, query(row)) },
    { title: "document", value: ([, , name]) => name, cell },
  ];
}

/** The number of all rows, where only some are shown. */
function ofAll(rows, total) {
  return total > rows.length ? ` (${rows.length} are shown)` : "";
}

/** The decisions of an assessor, each of which can be looked at again. */
export async function judgeDecisions(_, { assessor }, app) {
  const { decisions, total } = await send("GET", "judged", { assessor });
  if (!total) return [el("p.empty", "You have not decided on any document yet.")];
  const columns = [
    ...placeColumns(app),
    { title: "decision", value: ([, , , grade]) => gradeName(grade) },
    { title: "comment", value: ([, , , , comment]) => comment },
    { title: "time (UTC)", value: ([, , , , , time]) => time.replace("T", " ").replace("Z", "") },
  ];
  const shownOf = `the latest first${ofAll(decisions, total)}`;
  return [
    el("p", `${total} decisions of ${assessor} count, ${shownOf}. Choose a document to decide again.`),
    table(columns, decisions, { label: "Decisions" }),
  ];
}

/** How far each person is with the documents to judge. */
export async function judgeProgress(_, { depth, order }) {
  const { rows } = await send("GET", "judged-progress", { depth, order }),
    titles = ["topics", "documents", "decided", "skipped", "left"];
  const numbers = titles.map((title, i) => whole(title, (row) => row[i + 1])),
    columns = [{ title: "assessor", value: ([name]) => name }, ...numbers];
  return rows.length ? [table(columns, rows, { label: "Progress" })] : [el("p.empty", "Nobody has begun to judge.")];
}

/** How far assessors agree, and the documents on which they differ. */
export async function judgeAgreement(_, choices, app) {
  const { assessors, sentences, tables, conflicts, of } = await send("GET", "judged-agreement");
  const ofAssessors = [
    { title: "assessor", value: ([name]) => name },
    whole("judged", ([, judged]) => judged),
    whole("skipped", ([, , skipped]) => skipped),
  ];
  const ofConflicts = assessors.map(([name], i) => whole(name, ([, , , grades]) => grades[i]));
  const none = "No conflicts: all grades of the same document are equal";
  return [
    el("p", sentences.join(" ")),
    assessors.length > 0 && table(ofAssessors, assessors, { label: "Assessors" }),
    of > 0 && el("p", el("a", { href: changed({ part: undefined, pool: "conflicts" }) }, "Decide on the conflicts")),
    tables.length > 0 && el("h3", of ? `Conflicts: ${of}${ofAll(conflicts, of)}` : none),
    conflicts.length > 0 && table([...placeColumns(app), ...ofConflicts], conflicts, { label: "Conflicts" }),
    ...tables.flatMap(agreementTable),
  ];
}

/** A table of the study of agreement, under its name. */
function agreementTable({ name, headers, rows, caption }) {
  const cell = (value) => (typeof value === "number" && !Number.isInteger(value) ? shown(value) : (value ?? "–"));
  const columns = headers.map((title, i) => ({
    title,
    numeric: rows.some((row) => typeof row[i] === "number"),
    value: (row) => row[i],
    cell: (row) => cell(row[i]),
  }));
  return [el("h3", TABLE_TITLES[name]), caption && el("p.hint", caption), table(columns, rows, { label: name })];
}

const TOO_EARLY =
  "It is too early to tell the runs apart: judgments of one or two topics, or equal values on all, give no interval.";

function intervalText([low, high] = [null, null]) {
  return low === null ? "–" : `${shown(low)} to ${shown(high)}`;
}

/** The means and places of runs as judgments came in. */
export async function judgeEffect({ assessors, resolve }, choices, app) {
  const go = (changes) => app.change(changes, { replace: true });
  const asked = { measure: choices.measure, resolve: choices.resolve };
  const answer = await send("GET", "judged-effect", { ...asked, points: 1 }),
    { measure, label, runs, points, means, places, intervals } = answer;
  const figure = choices.figure === "places" ? "places" : "means",
    rule = choices.resolve ?? "majority",
    rules = Object.keys(resolve),
    one = { key: "judge-measure", label: "Measure", chosen: [{ text: measure, label }], single: true };
  const controls = el(
    "div.toolbar",
    measureInput({ ...one, onChange: ([text]) => go({ measure: text }) }),
    choose("Show", "figure", ["means", "places"], figure, (text) => go({ figure: text })),
    assessors.length > 1 && choose("Several people", "resolve", rules, rule, (text) => go({ resolve: text })),
  );
  const nothing =
    "Nobody has given a grade yet. Judge some documents, and see here how means and places of the runs change.";
  if (points.length < 2) return [controls, el("p.empty", nothing)];
  const last = points.length - 1;
  const order = runs
    .map((name, i) => ({ name, i }))
    .sort((a, b) => (places[last][a.i] ?? Infinity) - (places[last][b.i] ?? Infinity));
  const gained = ({ i }) => (means[last][i] === null || means[0][i] === null ? null : means[last][i] - means[0][i]);
  const best = order.slice(0, COLOURED).map(({ name }) => name);
  const chart = el("div");
  const show = (effect) => chart.replaceChildren(...effectChart(effect, best, figure === "places"));
  // The points between take longer.
  send("GET", "judged-effect", asked).then(show, (error) => chart.replaceChildren(el("p.error", error.message)));
  const columns = [
    { title: "run", value: ({ name }) => name },
    { title: "before", numeric: true, value: ({ i }) => means[0][i] },
    { title: "now", numeric: true, value: ({ i }) => means[last][i] },
    { title: "95 % interval", numeric: true, value: ({ i }) => intervals[i]?.[0] ?? null, cell: ({ i }) => intervalText(intervals[i]) },
    { title: "difference", numeric: true, value: gained, cell: (row) => signed(gained(row)) },
    whole("place before", ({ i }) => places[0][i]),
    whole("place now", ({ i }) => places[last][i]),
  ];
  return [
    controls,
    el(
      "p",
      `Means by the judgments from the start and ${points[last]} new ones.`,
      assessors.length > 1 && ` Where several people judged a document: ${resolve[rule]}.`,
      runs.length > COLOURED && ` The best ${COLOURED} runs have colours.`,
    ),
    points.length > 1 && intervals.every(([low]) => low === null) && el("p.note", TOO_EARLY),
    chart,
    table(columns, order, { label: "Runs" }),
  ];
}

/** The lines of the runs, of which some have colours, at all points. */
function effectChart({ label: measure, runs, points, means, places }, coloured, byPlace) {
  const values = runs.map((_, i) => (byPlace ? places : means).map((row) => row[i])),
    title = byPlace ? `place by ${measure}` : measure;
  const spots = runs.flatMap((run, i) =>
    points
      .map((judgments, at) => ({ run, x: judgments, y: values[i][at], mean: means[at][i], place: places[at][i] }))
      .filter((spot) => spot.y !== null),
  );
  const colourOf = (run) => RUN_COLOURS[coloured.indexOf(run)];
  const faint = values.filter((_, i) => !coloured.includes(runs[i]));
  const dots = (run, { x, y }) => {
    const own = spots.filter((spot) => spot.run === run);
    return svg("path.dots.many", { d: dotsPath(own, x, y), style: { stroke: colourOf(run), "stroke-opacity": 1 } });
  };
  const chart = lineChart({ title: `${title} of the runs by the number of new judgments`, height: 320 });
  chart.draw({
    xs: points,
    lines: [
      { many: faint, kind: "line.faint" },
      ...coloured.map((run) => {
        return { values: values[runs.indexOf(run)], style: { stroke: colourOf(run), "stroke-width": 2 } };
      }),
    ],
    xAxis: { title: "new judgments" },
    yAxis: { title, ...(byPlace && { domain: [1, Math.max(runs.length, 2)], least: 1, down: true }) },
    over: (axes) => (points.length < 20 ? coloured.map((run) => dots(run, axes)) : []),
  });
  const lines = ({ run, x, mean, place }) => {
    return [run, counted(x, "new judgment"), `${measure} ${shown(mean)}`, `place ${place ?? "–"}`];
  };
  const nearest = (event) => nearestPoint(event, chart.picture, spots, chart.axes.x, chart.axes.y, 20);
  pointing(chart.picture, nearest, { lines });
  const named = coloured.map((name) => ({ name, colour: colourOf(name) }));
  const others = faint.length ? [{ name: "others", colour: RUN_COLOURS.at(-1) }] : [];
  return [lineLegend([...named, ...others]), chart.element];
}

/** Judgments as a file in TREC's format. */
export function judgeExport({ assessors, resolve, journal }) {
  const whose = { new: "the new judgments alone", all: "the new judgments and those from the start" };
  const assessor = select([["", "everybody"], ...assessors]),
    rule = select(Object.entries(resolve).map(([name, text]) => [name, `${name}: ${text}`])),
    which = select(Object.entries(whose)),
    answered = el("p", { role: "status" });
  const save = async (event) => {
    event.preventDefault();
    answered.className = "";
    try {
      const request = { assessor: assessor.value, resolve: rule.value, with: which.value };
      const file = await send("POST", "judge-export", request);
      saveBytes(file);
      answered.textContent = `${file.judgments} judgments written to ${file.name}.`;
    } catch (error) {
      answered.className = "error";
      answered.textContent = error.message;
    }
  };
  const place = ["Every decision is in the journal, ", el("code", journal), ". "],
    use = ["Judgments in TREC's format are what ", el("code", "rankgauge evaluate"), " and other tools read."];
  return [
    el("p", place, use),
    el(
      "form.export",
      { onsubmit: save },
      field("Judgments of", assessor),
      field("Where several people judged a document", rule),
      field("What to write", which),
      submitButton("Save judgments"),
    ),
    answered,
  ];
}

// What came of judging: decisions, agreement, the leaderboard as judgments come in, and files of judgments.

import { choose, el, field, shown, signed, svg } from "./dom.js";
import { send } from "./source.js";
import { axesOf, dotsPath, fillPicture, lineOf, nearestPoint, pictureOf, pointing, reachOf } from "./plot.js";
import { lineLegend } from "./linecharts.js";
import { RUN_COLOURS } from "./colours.js";
import { measureInput } from "./measures.js";
import { table } from "./tables.js";
import { address } from "./views.js";
import { saveBytes } from "./saving.js";
import { gradeName, idInAddress } from "./judge-card.js";

const COLOURED = 7; // runs with a colour of their own
const GREY = RUN_COLOURS.at(-1);

/** A column of whole numbers. */
function whole(title, value) {
  return { title, numeric: true, value, cell: (row) => String(value(row) ?? "–") };
}

/** The column of documents, of rows that begin with the topic, the id and the name. */
function documentColumn(choices) {
  const cell = ([topic, id, name]) =>
    el("a", { href: address("judge", { ...choices, part: undefined, topic, document: idInAddress(id) }) }, name);
  return { title: "document", value: ([, , name]) => name, cell };
}

/** The decisions of an assessor, each of which can be looked at again. */
export async function judgeDecisions(choices) {
  const { decisions, total } = await send("GET", "judged", { assessor: choices.assessor });
  if (!total) return [el("p.empty", "You have not decided on any document yet.")];
  return [
    el(
      "p",
      `${total} decisions of ${choices.assessor} count, the latest first${total > decisions.length ? ` (${decisions.length} are shown)` : ""}. Choose a document to decide again.`,
    ),
    table(
      [
        { title: "topic", value: ([topic]) => topic },
        documentColumn(choices),
        { title: "decision", value: ([, , , grade]) => gradeName(grade) },
        { title: "comment", value: ([, , , , comment]) => comment },
        { title: "time (UTC)", value: ([, , , , , time]) => time.replace("T", " ").replace("Z", "") },
      ],
      decisions,
      { label: "Decisions" },
    ),
  ];
}

/** How far assessors agree, and the documents on which they differ. */
export async function judgeAgreement(choices) {
  const { assessors, sentences, tables, conflicts, of } = await send("GET", "judged-agreement");
  const parts = [el("p", sentences.join(" "))];
  if (assessors.length)
    parts.push(
      table(
        [
          { title: "assessor", value: ([name]) => name },
          whole("judged", ([, judged]) => judged),
          whole("skipped", ([, , skipped]) => skipped),
        ],
        assessors,
        { label: "Assessors" },
      ),
    );
  if (tables.length)
    parts.push(
      el(
        "h3",
        of
          ? `Conflicts: ${of}${of > conflicts.length ? ` (${conflicts.length} are shown)` : ""}`
          : "No conflicts: all grades of the same document are equal",
      ),
    );
  if (conflicts.length)
    parts.push(
      table(
        [
          { title: "topic", value: ([topic]) => topic },
          documentColumn(choices),
          ...assessors.map(([name], i) => whole(name, ([, , , grades]) => grades[i])),
        ],
        conflicts,
        { label: "Conflicts" },
      ),
    );
  for (const { name, headers, rows, caption } of tables) {
    const cell = (value) =>
      typeof value === "number" && !Number.isInteger(value) ? shown(value) : value === null ? "–" : String(value);
    const numeric = headers.map((_, i) => rows.some((row) => typeof row[i] === "number"));
    parts.push(
      el("h3", { agreement: "Agreement", pairs: "Every two assessors", grades: "Grades", topics: "Topics" }[name]),
      caption && el("p.hint", caption),
      table(
        headers.map((title, i) => ({
          title,
          numeric: numeric[i],
          value: (row) => row[i],
          cell: (row) => cell(row[i]),
        })),
        rows,
        { label: name },
      ),
    );
  }
  return parts;
}

/** The means and places of runs as judgments came in. */
export async function judgeEffect(choices, app, state) {
  const go = (changed) => app.go("judge", { ...choices, ...changed }, { replace: true });
  const asked = { measure: choices.measure, resolve: choices.resolve };
  const { measure, runs, points, means, places } = await send("GET", "judged-effect", { ...asked, points: 1 });
  const figure = choices.figure === "places" ? "places" : "means";
  const controls = el(
    "div.toolbar",
    measureInput({
      key: "judge-measure",
      label: "Measure",
      chosen: [{ text: measure }],
      onChange: ([text]) => go({ measure: text }),
      single: true,
    }),
    choose("Show", "figure", [["means", "means"], ["places", "places"]], figure, (text) => go({ figure: text })),
    state.assessors.length > 1 &&
      choose(
        "Several people",
        "resolve",
        Object.keys(state.resolve).map((name) => [name, name]),
        choices.resolve ?? "majority",
        (text) => go({ resolve: text }),
      ),
  );
  if (points.length < 2)
    return [
      controls,
      el(
        "p.empty",
        "Nobody has given a grade yet. Judge some documents, and see here how means and places of the runs change.",
      ),
    ];
  const last = points.length - 1;
  const order = runs
    .map((name, i) => ({ name, i }))
    .sort((a, b) => (places[last][a.i] ?? Infinity) - (places[last][b.i] ?? Infinity));
  const gained = ({ i }) => (means[last][i] === null || means[0][i] === null ? null : means[last][i] - means[0][i]);
  const title = figure === "places" ? `place by ${measure}` : measure;
  const chart = el("div.chart", { role: "img", "aria-label": `${title} of the runs by the number of new judgments` });
  const best = order.slice(0, COLOURED).map(({ name }) => name);
  setTimeout(async () => {
    // the points between take longer; and the width of the chart is known once it is part of the page
    try {
      const effect = await send("GET", "judged-effect", asked);
      chart.replaceChildren(...effectChart(effect, best, figure, title, Math.max(chart.clientWidth, 280)));
    } catch (error) {
      chart.replaceChildren(el("p.error", error.message));
    }
  }, 0);
  return [
    controls,
    el(
      "p",
      `Means by the judgments from the start and ${points[last]} new ones.${state.assessors.length > 1 ? ` Where several people judged a document: ${state.resolve[choices.resolve ?? "majority"]}.` : ""}${runs.length > COLOURED ? ` The best ${COLOURED} runs have colours.` : ""}`,
    ),
    chart,
    table(
      [
        { title: "run", value: ({ name }) => name },
        { title: "before", numeric: true, value: ({ i }) => means[0][i] },
        { title: "now", numeric: true, value: ({ i }) => means[last][i] },
        { title: "difference", numeric: true, value: gained, cell: (row) => signed(gained(row)) },
        whole("place before", ({ i }) => places[0][i]),
        whole("place now", ({ i }) => places[last][i]),
      ],
      order,
      { label: "Runs" },
    ),
  ];
}

/** The lines of the runs, of which some have colours, at all points. */
function effectChart({ measure, runs, points, means, places }, coloured, figure, title, width) {
  const byPlace = figure === "places",
    values = (byPlace ? places : means)[0].map((_, i) => (byPlace ? places : means).map((row) => row[i]));
  const domain = byPlace ? [1, Math.max(runs.length, 2)] : reachOf(values, { round: 5 });
  const across = { domain: [points[0], Math.max(points.at(-1), 1)], ticks: width > 600 ? 10 : 5, least: 1 };
  const axes = axesOf({
    width,
    height: 320,
    xAxis: { ...across, title: "new judgments" },
    yAxis: { domain, title, least: byPlace ? 1 : 0, down: byPlace },
  });
  const { x, y } = axes;
  const spots = runs.flatMap((run, i) =>
    points
      .map((judgments, at) => ({ run, x: judgments, y: values[i][at], mean: means[at][i], place: places[at][i] }))
      .filter((spot) => spot.y !== null),
  );
  const colourOf = (run) => RUN_COLOURS[coloured.indexOf(run)];
  const faint = values.filter((_, i) => !coloured.includes(runs[i]));
  const picture = pictureOf(width, 320, {});
  fillPicture(
    picture,
    axes,
    faint.length && lineOf(axes, points, { many: faint, kind: "line.faint" }),
    coloured.map((run) => [
      lineOf(axes, points, { values: values[runs.indexOf(run)], style: { stroke: colourOf(run), "stroke-width": 2 } }),
      points.length < 20 &&
        svg("path.dots.many", {
          d: dotsPath(spots.filter((spot) => spot.run === run), x, y),
          style: { stroke: colourOf(run), "stroke-opacity": 1 },
        }),
    ]),
  );
  pointing(picture, (event) => nearestPoint(event, picture, spots, x, y, 20), {
    lines: ({ run, x: at, mean, place }) => [run, `${at} new judgments`, `${measure} ${shown(mean)}`, `place ${place ?? "–"}`],
  });
  const named = coloured.map((name) => ({ name, colour: colourOf(name) }));
  return [lineLegend(faint.length ? [...named, { name: "others", colour: GREY }] : named), picture];
}

/** Judgments as a file in TREC's format. */
export function judgeExport(state) {
  const select = (options) => el("select", options.map(([value, text]) => el("option", { value }, text)));
  const assessor = select([["", "everybody"], ...state.assessors.map((name) => [name, name])]);
  const resolve = select(Object.entries(state.resolve).map(([name, text]) => [name, `${name}: ${text}`]));
  const which = select([["new", "the new judgments alone"], ["all", "the new judgments and those from the start"]]);
  const answered = el("p", { role: "status" });
  const save = async (event) => {
    event.preventDefault();
    answered.className = "";
    try {
      const { name, base64, judgments } = await send("POST", "judge-export", {
        assessor: assessor.value,
        resolve: resolve.value,
        with: which.value,
      });
      saveBytes(name, base64, "text/plain");
      answered.textContent = `${judgments} judgments written to ${name}.`;
    } catch (error) {
      answered.className = "error";
      answered.textContent = error.message;
    }
  };
  return [
    el(
      "p",
      "Every decision is in the journal, ",
      el("code", state.journal),
      ". Judgments in TREC's format are what ",
      el("code", "rankgauge evaluate"),
      " and other tools read.",
    ),
    el(
      "form.export",
      { onsubmit: save },
      field("Judgments of", assessor),
      field("Where several people judged a document", resolve),
      field("What to write", which),
      el("button", { type: "submit" }, "Save judgments"),
    ),
    answered,
  ];
}

// The leaderboard: means with intervals, and every run against a baseline.

import { alertOf, choose, counted, el, shown, signed } from "./dom.js";
import { VIEWS, address, changed, current, read, remember } from "./views.js";
import { ask, has } from "./source.js";
import { table } from "./tables.js";
import { runPicker } from "./runs.js";
import { unjudgedNote } from "./documents.js";
import { measureInput } from "./measures.js";

const MAX_ROWS = 100,
  MAX_DETAILED = 6, // rows with differences
  ASKED = ["segment", "find", "baseline", "test", "correction"],
  SIGNS = { better: "▲", worse: "▼", equivalent: "≈", undecided: "?" };

/** The outcome for a run: better or worse, with a margin also equivalent or undecided; else empty. */
function outcomeOf(of, r) {
  return of?.outcome ? of.outcome[r] : of?.verdict[r];
}

/** The outcome in words. */
function outcomeWords({ baseline, margin }, of, r) {
  return {
    better: `significantly better than ${baseline}`,
    worse: `significantly worse than ${baseline}`,
    equivalent: `equivalent to ${baseline} within a margin of ${margin}`,
    undecided: `undecided against ${baseline}: neither significantly different nor equivalent within a margin of ${margin}`,
  }[outcomeOf(of, r)];
}

/** A p for people: never 0.0000. */
function pText(p) {
  return p === null ? "undefined" : p < 0.0001 ? "< 0.0001" : `= ${p.toFixed(4)}`;
}

/** The verdict on a run by a measure, in words, a line each. */
function verdictLines(answer, m, r) {
  const { runs, measures, means, low, high, baseline, p_name } = answer,
    of = answer.against[m];
  const interval = low[m][r] === null ? "" : ` (95 % interval ${shown(low[m][r])} to ${shown(high[m][r])})`;
  const lines = [`${runs[r]}: ${measures[m].label} ${shown(means[m][r])}${interval}`];
  if (!of) return lines;
  if (runs[r] === baseline) return [...lines, "the baseline"];
  const tested = of.corrected[r] !== null;
  const words =
    tested && outcomeOf(of, r)
      ? outcomeWords(answer, of, r).replace(/^./, (letter) => letter.toUpperCase())
      : `Not ${tested ? "significantly different from" : "tested against"} ${baseline}`;
  const p =
    `${p_name} ${pText(of.corrected[r])}` +
    (of.outcome ? `, that of equivalence ${pText(of.corrected_equivalence[r])}` : "");
  const remark = of.disagreement[r] || (of.practical[r] && `the difference is ${of.practical[r]}`);
  const size = `${signed(of.difference[r])}${of.percent[r] === null ? "" : ` (${signed(of.percent[r], 1)} %)`}`;
  const ends = of.low[r] === null ? "" : `, 95 % interval ${signed(of.low[r])} to ${signed(of.high[r])}`;
  return [
    ...lines,
    `${words} (${p})${remark ? `; ${remark}` : ""}.`,
    `Difference ${size}${ends}.`,
    `Better on ${of.wins[r]}, equal on ${of.ties[r]}, worse on ${of.losses[r]} topics.`,
  ];
}

/** A mean with its interval and its verdict: few elements, since there are thousands of cells. */
function meanCell(answer, m, r, scale, base, detailed) {
  const { means, low, high } = answer,
    of = answer.against[m],
    outcome = outcomeOf(of, r);
  const sign = outcome && el("span.sign", { role: "img", "aria-label": outcomeWords(answer, of, r) }, SIGNS[outcome]);
  const tested = detailed && of?.difference[r] !== null && of?.difference[r] !== undefined,
    detail = tested && el("small", `${signed(of.difference[r])}, p ${pText(of.corrected[r])}`);
  if (low[m][r] === null) return [shown(means[m][r]), sign, detail];
  const [from, to, mean] = [low[m][r], high[m][r], means[m][r]].map(scale);
  const at = (share) => `${(100 * share).toFixed(1)}%`,
    wide = Math.max(to - from, 0.01),
    left = wide < 1 ? from / (1 - wide) : 0;
  const style = {
    "background-size": `1px 100%, 3px 100%, ${at(wide)} 3px`,
    "background-position": `${base === null ? "-9px" : at(base)} 0, ${at(mean)} 0, ${at(left)} 50%`,
  };
  return [shown(means[m][r]), sign, el("span.interval", { "aria-hidden": "true", style }), detail];
}

/** From values of a measure to 0..1, over the intervals of the runs that are shown. */
function scaleOf({ means, low, high }, m, rows) {
  const ends = rows
    .flatMap((r) => [low[m][r] ?? means[m][r], high[m][r] ?? means[m][r]])
    .filter((each) => each !== null);
  const least = Math.min(...ends),
    most = Math.max(...ends);
  return (value) => (most > least ? Math.max(0, Math.min(1, (value - least) / (most - least))) : 0.5);
}

/** The places of the best means among some runs, without copies of others. */
function bestOf({ runs, measures, means, copies }, m, rows) {
  const way = measures[m].direction,
    originals = new Map(copies[m]),
    known = rows.filter((r) => means[m][r] !== null);
  if (!way || known.length < 2) return new Set();
  const top = Math.max(...known.map((r) => way * means[m][r]));
  const best = known.filter((r) => way * means[m][r] === top);
  return new Set(best.filter((r) => !best.some((other) => runs[other] === originals.get(runs[r]))));
}

/** The column of names, each of which leads to the topics of its run. */
function runColumn({ runs, baseline, chosen }, { copies, measures: [label] }) {
  const against = (r) => baseline && runs[r] !== baseline && { order: "difference", pair: [baseline, runs[r]] };
  const href = (r) => address("topics", { topic: undefined, ...against(r) });
  const tag = (text) => [" ", el("span.tag", text)];
  return {
    key: "run",
    title: "Run",
    value: (r) => runs[r],
    cell: (r) => [
      el("a", { href: href(r) }, runs[r]),
      runs[r] === baseline && tag(chosen ? "baseline" : "compared with"),
      copies.has(runs[r]) && tag(`same ${label} as ${copies.get(runs[r])} on every topic`),
    ],
  };
}

/** The column of a measure. */
function meanColumn(answer, m, rows) {
  const { text, label, title, help, direction } = answer.measures[m],
    best = bestOf(answer, m, rows),
    scale = scaleOf(answer, m, rows),
    mean = answer.means[m][answer.runs.indexOf(answer.baseline)] ?? null;
  return {
    key: text,
    title: label,
    numeric: true,
    lowFirst: direction < 0,
    help: [text, title, help, direction < 0 ? "Lower is better." : ""],
    value: (r) => answer.means[m][r],
    cell: (r) => meanCell(answer, m, r, scale, mean === null ? null : scale(mean), rows.length <= MAX_DETAILED),
    className: (r) => `mean ${best.has(r) ? "best " : ""}${answer.against[m]?.verdict[r] ?? ""}`,
    tip: (r) => verdictLines(answer, m, r),
  };
}

/** The choices: measures, runs, and what they are compared with, by which test. */
function controls(answer, asked, chosen, app) {
  const { session, change } = app,
    { runs, means, measures } = answer;
  const way = measures[0].direction || 1;
  const ranked = [...runs.keys()]
    .filter((r) => means[0][r] !== null)
    .sort((r, s) => way * (means[0][s] - means[0][r]))
    .map((r) => runs[r]);
  const best = answer.chosen ? "the best run" : `the best (${answer.baseline})`;
  const first = session.baseline ? `${session.baseline} (from the start)` : best;
  const choice = (label, name, options, value, changes = (each) => ({ [name]: each || undefined })) => {
    const held = ([each]) => has("overview", { ...asked, [name]: each || undefined }) || each === (answer[name] ?? "");
    return runs.length > 1 && choose(label, name, options.filter(held), value, (each) => change(changes(each)));
  };
  const setMeasures = (texts) => {
    const { sort, measure } = read(current().parameters, "sort", "measure");
    const kept = (text) => (texts.includes(text) ? text : undefined);
    change({ measures: texts.join(" "), sort: kept(sort), measure: kept(measure) });
  };
  const baselines = [["", first], ...runs.map((name) => [name, name])];
  const setBaseline = (run) => ({ baseline: run || undefined, pair: undefined });
  const setTest = (test) => ({ test: test === "t" ? undefined : test, correction: undefined });
  return el(
    "div.toolbar",
    measureInput({ chosen: measures, onChange: setMeasures }),
    runPicker({ all: runs, chosen, ranked, onChange: change }),
    choice("Compare with", "baseline", baselines, asked.baseline ?? "", setBaseline),
    choice("Test", "test", session.tests, answer.test, setTest),
    choice("Correction", "correction", session.corrections, answer.correction ?? ""),
  );
}

/** What the answer in front is asked about; null if it is all runs and topics by the first measure. */
function questionOf(parameters, { chosen }, [first], session) {
  const { measure = first.text, segment, find, ...how } = read(parameters, "measure", ...ASKED),
    isFirst = measure === session.measures[0],
    question = { runs: chosen ?? undefined, measure: isFirst ? undefined : measure, segment, find };
  return chosen || segment || find || measure !== first.text ? { ...question, ...how } : null;
}

/** An answer with links to the topics that make up a difference. */
function headlineOf({ sentences, topics, needed, pair }, { queries }, { segment, find }) {
  const linkOf = ([topic, difference]) => [
    el("a", { href: address("ranking", { topic, pair, order: "difference" }) }, queries.get(topic) || topic),
    ` ${signed(difference)}`,
  ];
  const which = `${counted(needed, "topic")} make${needed === 1 ? "s" : ""} up the whole difference`,
    largest = needed > topics.length ? ", the largest of them: " : ": ",
    scope = [segment && `in ${segment}`, find && `with “${find}”`].filter(Boolean).join(", ");
  return [
    ...sentences.map((sentence) => el("p", sentence)),
    topics.length > 0 && el("p", which, largest, topics.map((each, i) => [i > 0 && "; ", ...linkOf(each)])),
    scope && el("p", `These are the topics ${scope}; the table is of all topics.`),
  ];
}

/** The answer in front: to what is chosen. */
async function answerOf(parameters, { session, state }, { summary, measures }) {
  const question = questionOf(parameters, state, measures, session),
    { chosen } = state;
  if (chosen?.length === 0) return [el("p", "No run is chosen: choose one to see its mean, or two to compare them.")];
  if (!question) return summary.map((sentence) => el("p", sentence));
  if (!has("headline", question)) return [el("p", "This saved page has no sentences on these runs and topics.")];
  return headlineOf(await ask("headline", question), session, question);
}

VIEWS.set("overview", {
  title: "Overview",
  saves: ["table", "figure"],
  async show(place, parameters, app) {
    const asked = read(parameters, "measures", "baseline", "test", "correction");
    const answer = await ask("overview", asked);
    const { runs, measures } = answer,
      { chosen } = app.state,
      kept = new Set(chosen ?? runs);
    const rows = [...runs.keys()].filter((r) => kept.has(runs[r]));
    const by = parameters.get("sort") ?? measures[0].text;
    const sortedBy = measures.find(({ text }) => text === by);
    const down = parameters.has("down") ? parameters.get("down") === "1" : Boolean(sortedBy) && sortedBy.direction >= 0;
    const ofMeasures = measures.map((_, m) => meanColumn(answer, m, rows)),
      columns = [runColumn(answer, app.session), ...ofMeasures];
    const leaderboard = () =>
      table(columns, rows, {
        by,
        down,
        numbered: true,
        rowClass: (r) => (runs[r] === answer.baseline ? "chosen" : ""),
        label: "Means of runs",
        most: parameters.has("all") ? Infinity : MAX_ROWS,
        // the rows are in this order already
        onSort: (sort, falling) => remember(changed({ sort, down: falling ? 1 : 0 }), { replace: false }),
        onAll: () => app.change({ all: 1 }),
      });
    const sentences = await answerOf(parameters, app, answer),
      left = rows.length > 0 && runs.length - rows.length,
      notShown = `${left} of ${runs.length} runs are left out of the table; p is corrected for all of them.`,
      margin = answer.margin === null ? "" : `≈ equivalent within a margin of ${answer.margin}, ? undecided. `,
      signs = `▲ significantly better, ▼ significantly worse than the run compared with, whose mean is the thin line; bars are intervals of means. ${margin}`;
    const parts = [
      sentences.length && el("section.summary", { "aria-label": "Summary" }, sentences),
      answer.problem && alertOf(answer.problem),
      unjudgedNote(app, parameters.get("measure") || measures[0].text),
      controls(answer, asked, chosen, app),
      rows.length ? leaderboard() : el("p.empty", "No run is chosen. Choose some under “Runs”."),
      left && el("p.note", notShown),
      el("p.note", answer.against.length > 0 && signs, answer.method.join(" ")),
    ];
    place.replaceChildren(...parts.filter(Boolean));
  },
});

// The leaderboard: means with intervals, and every run against a baseline.

import { choose, el, shown, signed } from "./dom.js";
import { VIEWS, address, remember } from "./views.js";
import { ask, has } from "./source.js";
import { table } from "./tables.js";
import { runPicker, runsOf, runsParameter } from "./runs.js";
import { measureInput } from "./measures.js";

const MOST_ROWS = 100;

/** A p for people: never 0.0000. */
export function pText(p) {
  return p === null ? "undefined" : p < 0.0001 ? "< 0.0001" : `= ${p.toFixed(4)}`;
}

/** The verdict on a run by a measure, in words, a line each. */
function verdictLines(answer, m, r) {
  const { runs, measures, means, low, high, baseline, correction } = answer,
    of = answer.against[m];
  const interval = low[m][r] === null ? "" : ` (95 % interval ${shown(low[m][r])} to ${shown(high[m][r])})`;
  const lines = [`${runs[r]}: ${measures[m].label} ${shown(means[m][r])}${interval}`];
  if (!of) return lines;
  if (runs[r] === baseline) return [...lines, "the baseline"];
  const words = of.verdict[r]
    ? `Significantly ${of.verdict[r]} than ${baseline}`
    : of.corrected[r] === null
      ? `Not tested against ${baseline}`
      : `Not significantly different from ${baseline}`;
  const p = `${correction === "none" ? "" : "corrected "}p ${pText(of.corrected[r])}`;
  const size = `${signed(of.difference[r])}${of.percent[r] === null ? "" : ` (${signed(of.percent[r], 1)} %)`}`;
  const ends = of.low[r] === null ? "" : `, 95 % interval ${signed(of.low[r])} to ${signed(of.high[r])}`;
  return [
    ...lines,
    `${words} (${p})${of.practical[r] ? `; the difference is ${of.practical[r]}` : ""}.`,
    `Difference ${size}${ends}.`,
    `Better on ${of.wins[r]}, equal on ${of.ties[r]}, worse on ${of.losses[r]} topics.`,
  ];
}

/** A mean with its interval and its verdict: few elements, since there are thousands of cells. */
function meanCell(answer, m, r, scale, base) {
  const verdict = answer.against[m]?.verdict[r] ?? "";
  const sign =
    verdict &&
    el(
      "span.sign",
      { role: "img", "aria-label": `significantly ${verdict} than ${answer.baseline}` },
      verdict === "better" ? "▲" : "▼",
    );
  if (answer.low[m][r] === null) return [shown(answer.means[m][r]), sign || null];
  const [low, high, mean] = [answer.low[m][r], answer.high[m][r], answer.means[m][r]].map(scale);
  const at = (share) => `${(100 * share).toFixed(1)}%`,
    wide = Math.max(high - low, 0.01);
  return [
    shown(answer.means[m][r]),
    sign || null,
    el("span.interval", {
      "aria-hidden": "true",
      style: {
        "background-size": `1px 100%, 3px 100%, ${at(wide)} 3px`,
        "background-position": `${base === null ? "-9px" : at(base)} 0, ${at(mean)} 0, ${at(wide < 1 ? low / (1 - wide) : 0)} 50%`,
      },
    }),
  ];
}

/** From values of a measure to 0..1, over the intervals of the runs that are shown. */
function scaleOf(answer, m, rows) {
  const ends = rows
    .flatMap((r) => [answer.low[m][r] ?? answer.means[m][r], answer.high[m][r] ?? answer.means[m][r]])
    .filter((each) => each !== null);
  const least = Math.min(...ends),
    most = Math.max(...ends);
  return (value) => (most > least ? Math.max(0, Math.min(1, (value - least) / (most - least))) : 0.5);
}

/** The places of the best means among some runs. */
function bestOf(answer, m, rows) {
  const way = answer.measures[m].direction,
    known = rows.filter((r) => answer.means[m][r] !== null);
  if (!way || known.length < 2) return new Set();
  const top = Math.max(...known.map((r) => way * answer.means[m][r]));
  return new Set(known.filter((r) => way * answer.means[m][r] === top));
}

VIEWS.set("overview", {
  title: "Overview",
  async show(place, parameters, app) {
    const { session } = app;
    const asked = (changes = {}) => {
      const get = (name) => (name in changes ? changes[name] : parameters.get(name)) || undefined;
      return { measures: get("measures"), baseline: get("baseline"), test: get("test"), correction: get("correction") };
    };
    const answer = await ask("overview", asked());
    const all = answer.runs,
      chosen = runsOf(parameters, all),
      kept = new Set(chosen ?? all);
    const order = { sort: parameters.get("sort") ?? undefined, down: parameters.get("down") ?? undefined };
    const choices = (changes) => ({
      ...asked(),
      run: runsParameter(chosen),
      ...order,
      all: parameters.get("all") ?? undefined,
      ...changes,
    });
    const go = (changes) => app.go("overview", choices(changes));
    const rows = all.map((_, r) => r).filter((r) => kept.has(all[r]));
    const by = parameters.get("sort") ?? answer.measures[0].text;
    const sortedBy = answer.measures.find(({ text }) => text === by);
    const down = parameters.has("down") ? parameters.get("down") === "1" : sortedBy ? sortedBy.direction >= 0 : false;
    const possible = (name, options) =>
      options.filter(([value]) => has("overview", asked({ [name]: value })) || value === (answer[name] ?? ""));
    const way = answer.measures[0].direction || 1;
    const ranked = all
      .map((name, r) => [answer.means[0][r], name])
      .filter(([mean]) => mean !== null)
      .sort(([x], [y]) => way * (y - x))
      .map(([, name]) => name);
    const baselines = [
      [
        "",
        session.baseline
          ? `${session.baseline} (from the start)`
          : answer.chosen
            ? "the best run"
            : `the best (${answer.baseline})`,
      ],
      ...all.map((name) => [name, name]),
    ];
    const controls = el(
      "div.toolbar",
      measureInput({
        chosen: answer.measures,
        onChange: (texts) =>
          go({ measures: texts.join(" "), sort: texts.includes(order.sort) ? order.sort : undefined }),
      }),
      runPicker({ all, chosen, ranked, onChange: (list) => go({ run: runsParameter(list) }) }),
      all.length > 1 &&
        choose(
          "Compare with",
          "baseline",
          possible("baseline", baselines),
          parameters.get("baseline") ?? "",
          (value) => go({ baseline: value || undefined }),
        ),
      all.length > 1 &&
        choose(
          "Test",
          "test",
          possible("test", session.tests),
          answer.test,
          (value) => go({ test: value === "t" ? undefined : value, correction: undefined }),
        ),
      all.length > 1 &&
        choose(
          "Correction",
          "correction",
          possible("correction", session.corrections),
          answer.correction ?? "",
          (value) => go({ correction: value }),
        ),
    );
    const summary = el(
      "section.summary",
      { "aria-label": "Summary" },
      answer.summary.map((sentence) => el("p", sentence)),
    );
    const best = answer.measures.map((_, m) => bestOf(answer, m, rows)),
      scales = answer.measures.map((_, m) => scaleOf(answer, m, rows));
    const base = all.indexOf(answer.baseline),
      bases = answer.measures.map((_, m) =>
        base < 0 || answer.means[m][base] === null ? null : scales[m](answer.means[m][base]),
      );
    const columns = [
      {
        key: "run",
        title: "Run",
        value: (r) => all[r],
        cell: (r) => [
          el(
            "a",
            {
              href: address(
                "topics",
                answer.baseline && all[r] !== answer.baseline
                  ? { measure: answer.measures[0].text, order: "difference", x: answer.baseline, y: all[r] }
                  : { measure: answer.measures[0].text },
              ),
            },
            all[r],
          ),
          all[r] === answer.baseline && " ",
          all[r] === answer.baseline && el("span.tag", answer.chosen ? "baseline" : "compared with"),
        ],
      },
      ...answer.measures.map(({ text, label, title, help, direction }, m) => ({
        key: text,
        title: label,
        numeric: true,
        lowFirst: direction < 0,
        help: [text, title, help, direction < 0 ? "Lower is better." : ""],
        value: (r) => answer.means[m][r],
        cell: (r) => meanCell(answer, m, r, scales[m], bases[m]),
        className: (r) => `mean ${best[m].has(r) ? "best " : ""}${answer.against[m]?.verdict[r] ?? ""}`,
        tip: (r) => verdictLines(answer, m, r),
      })),
    ];
    place.replaceChildren(
      ...[
        answer.summary.length && summary,
        answer.problem && el("p.error", { role: "alert" }, answer.problem),
        controls,
        rows.length
          ? table(columns, rows, {
              by,
              down,
              numbered: true,
              rowClass: (r) => (r === base ? "chosen" : ""),
              label: "Means of runs",
              most: parameters.has("all") ? Infinity : MOST_ROWS,
              onSort: (key, falling) => {
                Object.assign(order, { sort: key, down: falling ? 1 : 0 });
                remember(address("overview", choices()), { replace: false }); // the rows are in this order already
              },
              onAll: () => go({ all: 1 }),
            })
          : el("p.empty", "No run is chosen. Choose some under “Runs”."),
        rows.length < all.length &&
          rows.length > 0 &&
          el(
            "p.note",
            `${all.length - rows.length} of ${all.length} runs are left out of the table; p is corrected for all of them.`,
          ),
        el(
          "p.note",
          answer.against.length
            ? "▲ significantly better, ▼ significantly worse than the run compared with, whose mean is the thin line; bars are intervals of means. "
            : "",
          answer.method.join(" "),
        ),
      ].filter(Boolean),
    );
  },
});

// Rankings of one topic, up to four runs side by side, with lines between the same documents.

import { VIEWS, address, remember } from "./views.js";
import { choose, el, svg } from "./dom.js";
import { ask, has, live } from "./source.js";
import { runColumns, topicSteps } from "./choosers.js";
import { documentName, gradeBox, gradeKind, gradeLegend, gradeWords, textPanel } from "./documents.js";
import { CURVE_TITLES, COLUMN_COLOURS, curvePanels, lineLegend } from "./linecharts.js";

const MOST_SIDE_BY_SIDE = 4,
  DEPTHS = [10, 20, 50, 100, 200, 500, 1000];
export const ROW_HEIGHT = 26; // pixels: lines are drawn between rows; --row of ranking.css is the same

/** The runs that a view begins with: those of the address, or the baseline and the first others that can be shown. */
export function firstRuns(parameters, session, most, can = () => true) {
  const asked = [...new Set(parameters.getAll("run"))].filter((run) => session.runs.includes(run)).slice(0, most);
  if (asked.length) return asked;
  const known = [...new Set([session.baseline, ...session.runs])].filter((run) => run !== null);
  return [...known.filter(can), ...known.filter((run) => !can(run))].slice(0, Math.min(2, most));
}

/** The topic of the address, or the first. */
export function firstTopic(parameters, session) {
  return session.topics.includes(parameters.get("topic")) ? parameters.get("topic") : session.topics[0];
}

/** What an address names and there is not; null if there is nothing like that. */
export function notHere(parameters, session) {
  const topic = parameters.get("topic");
  const missing = [
    ...(topic !== null && !session.topics.includes(topic) ? [`topic ${topic}`] : []),
    ...parameters
      .getAll("run")
      .filter((run) => !session.runs.includes(run))
      .map((run) => `run ${run}`),
  ];
  return missing.length
    ? el("p.note", { role: "alert" }, `There is no ${missing.join(", and no ")} here; the address is of other data.`)
    : null;
}

/** One ranking as a list box; rows know their rank and document. */
function rankedList(run, answer, number) {
  const rows = answer.documents.map((name, i) =>
    el(
      "li.doc",
      {
        id: `r${number}-${i + 1}`,
        role: "option",
        "data-rank": i + 1,
        "data-document": name,
        "data-grade": gradeKind(answer.grades[i], answer.levels),
        "aria-selected": "false",
        "aria-label": `rank ${i + 1}, ${name}, ${gradeWords(answer.grades[i])}`,
      },
      el("span.doc-rank", i + 1),
      gradeBox(answer.grades[i], answer.levels),
      documentName(name, `${name}, score ${answer.scores[i]}`),
    ),
  );
  return el(
    "ol.ranked",
    {
      role: "listbox",
      tabIndex: 0,
      "data-key": `ranked ${run}`,
      "aria-label": `Ranking of ${run}`,
    },
    rows,
  );
}

/** The lines between the documents of two neighbouring rankings. */
function linesBetween(left, right) {
  const place = new Map(right.documents.map((name, i) => [name, i]));
  const height = ROW_HEIGHT * Math.max(left.documents.length, right.documents.length, 1);
  const drawing = svg("svg.between", { viewBox: `0 0 48 ${height}`, width: 48, height, "aria-hidden": "true" });
  left.documents.forEach((name, i) => {
    if (!place.has(name)) return;
    const line = svg("line.same", {
      x1: 0,
      x2: 48,
      y1: (i + 0.5) * ROW_HEIGHT,
      y2: (place.get(name) + 0.5) * ROW_HEIGHT,
      "data-grade": gradeKind(left.grades[i], left.levels),
    });
    line.dataset.document = name;
    drawing.append(line);
  });
  return drawing;
}

/** Relevant documents that are not in the ranking as far as it is shown. */
function missedList(answer) {
  if (!answer.missed.length)
    return el(
      "p.hint",
      answer.relevant ? "All relevant documents are listed above." : "The topic has no relevant document.",
    );
  const left = answer.missed_in_all - answer.missed.length;
  return el(
    "div",
    el("h3", `Missed: ${answer.missed_in_all} relevant`),
    el(
      "ul.missed",
      answer.missed.map(([name, grade, rank]) =>
        el(
          "li.doc",
          { "data-document": name },
          gradeBox(grade, answer.levels),
          documentName(name),
          el("span.doc-rank", rank === null ? "–" : rank),
        ),
      ),
    ),
    left > 0 && el("p.hint", `and ${left} more`),
  );
}

VIEWS.set("ranking", {
  needs: "rankings",
  title: "Ranking",
  async show(place, parameters, app) {
    const usual = app.session.ranking_depth,
      depth = (live && Number(parameters.get("depth"))) || usual; // a saved page has one depth
    const topic = firstTopic(parameters, app.session),
      runs = firstRuns(parameters, app.session, MOST_SIDE_BY_SIDE, (run) => has("ranking", { topic, run, depth }));
    const choice = { topic, run: runs, depth: depth === usual ? undefined : depth };
    const go = (changes) => app.go("ranking", { ...choice, ...changes });
    const lacking = runs.filter((run) => !has("ranking", { topic, run, depth }));
    place.replaceChildren(
      el(
        "div.toolbar",
        topicSteps(app.session.topics, topic, (name) => go({ topic: name })),
        runColumns(app.session.runs, runs, MOST_SIDE_BY_SIDE, (names) => go({ run: names })),
        live &&
          choose(
            "Depth",
            "depth",
            [...new Set([...DEPTHS, depth])].sort((a, b) => a - b).map((each) => [String(each), each]),
            String(depth),
            (value) => go({ depth: Number(value) }),
          ),
        el("a.action", { href: address("what-if", { topic, run: runs[0] }) }, `What if, for ${runs[0]}`),
      ),
    );
    if (lacking.length)
      return place.append(
        el(
          "p.empty",
          `This saved page does not hold the ranking of ${lacking.join(", ")} for this topic; \`rankgauge explore\` shows it.`,
        ),
      );
    const answers = await Promise.all(runs.map((run) => ask("ranking", { topic, run, depth })));
    const lists = answers.map((answer, i) => rankedList(runs[i], answer, i));
    const text = textPanel();
    const columns = answers.flatMap((answer, i) => [
      el(
        "section.column",
        el(
          "div.column-head",
          el("h3", { style: { "--colour": COLUMN_COLOURS[i] }, title: runs[i] }, runs[i]),
          el("p.count", answer.retrieved ? `${answer.retrieved} retrieved` : "nothing retrieved"),
        ),
        answer.retrieved ? lists[i] : el("p.empty", "This run has no results for the topic."),
        missedList(answer),
      ),
      ...(i + 1 < answers.length ? [el("div.gap", linesBetween(answer, answers[i + 1]))] : []),
    ]);
    const longest = Math.max(...answers.map((answer) => answer.documents.length));
    const charts = longest
      ? Object.keys(CURVE_TITLES).map((name) => ({
          title: CURVE_TITLES[name],
          lines: answers
            .map((answer, i) => ({
              name: runs[i],
              values: answer.documents.length ? answer.curves[name] : [],
              colour: COLUMN_COLOURS[i],
            }))
            .filter((line) => line.values.length),
        }))
      : [];
    const side = el("div.sides", columns);
    const panels = charts.length
      ? curvePanels(charts, answers[0].relevant, (rank) => mark(rank ?? chosen), Math.min(300, innerWidth - 100))
      : { element: el("p.empty", "No run has results for this topic."), mark() {} };
    let chosen = Number(parameters.get("rank")) || null,
      current = parameters.get("document");

    /** Mark a rank in all lists and curves. */
    function mark(rank, follow = false) {
      for (const row of side.querySelectorAll("[aria-selected=true]")) row.setAttribute("aria-selected", "false");
      lists.forEach((list, i) => {
        const row = rank === null ? null : list.children[rank - 1];
        row?.setAttribute("aria-selected", "true");
        row
          ? list.setAttribute("aria-activedescendant", `r${i}-${rank}`)
          : list.removeAttribute("aria-activedescendant");
        if (row && follow) row.scrollIntoView({ block: "nearest" });
      });
      panels.mark(rank);
    }

    /** Show where a document is, in all lists. */
    function light(name) {
      for (const each of side.querySelectorAll("[data-document]"))
        each.classList.toggle("lit", name !== null && each.dataset.document === name);
    }

    function open(rank, name) {
      [chosen, current] = [rank, name];
      mark(rank, true);
      light(name);
      text.show(name);
      remember(address("ranking", { ...choice, rank: rank ?? undefined, document: name }));
    }

    side.addEventListener("pointerover", (event) => {
      const row = event.target.closest("[data-document]");
      if (row) light(row.dataset.document);
      if (row?.dataset.rank) mark(Number(row.dataset.rank));
    });
    side.addEventListener("pointerleave", () => {
      light(current);
      mark(chosen);
    });
    side.addEventListener("click", (event) => {
      const row = event.target.closest(".doc");
      if (row) open(row.dataset.rank ? Number(row.dataset.rank) : chosen, row.dataset.document);
    });
    for (const list of lists) {
      list.addEventListener("keydown", (event) => {
        const to = {
          ArrowDown: (chosen ?? 0) + 1,
          ArrowUp: (chosen ?? 2) - 1,
          Home: 1,
          End: list.children.length,
          PageDown: (chosen ?? 0) + 10,
          PageUp: (chosen ?? 11) - 10,
        }[event.key];
        if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const rank = Math.max(1, Math.min(to, list.children.length));
        open(rank, list.children[rank - 1].dataset.document);
      });
    }
    place.append(
      notHere(parameters, app.session) ?? "",
      answers[0].query ? el("p.query", answers[0].query) : "",
      el("p.facts", `${answers[0].relevant} relevant of ${answers[0].judged} judged documents.`),
      gradeLegend(answers[0].levels),
      el("div.with-text", el("div.side-scroll", { tabIndex: -1, "data-key": "rankings" }, side), text.element),
      lineLegend(runs.map((name, i) => ({ name, colour: COLUMN_COLOURS[i] }))),
      panels.element,
    );
    if (current) {
      light(current);
      text.show(current);
    }
    if (chosen) mark(chosen);
    return undefined;
  },
});

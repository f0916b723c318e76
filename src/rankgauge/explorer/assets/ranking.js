// Rankings of one topic, up to four runs side by side, with lines between the same documents.

import { VIEWS, address, changed, remember } from "./views.js";
import { change, choose, el, svg } from "./dom.js";
import { ask, has, live } from "./source.js";
import { finder, matcher, notHere, runColumns, topicSteps, topicsInOrder } from "./choosers.js";
import { ROW_HEIGHT, documentName, documentRow, gradeBox, gradeKind, gradeLegend, textPanel } from "./documents.js";
import { COLUMN_COLOURS, curveLines, curvePanels, lineLegend } from "./linecharts.js";

const DEPTHS = [10, 20, 50, 100, 200, 500, 1000];

/** A ranking as a list box; rows know their rank and document. */
function rankedList({ name: run, documents, titles, grades, scores, levels }, number) {
  const rows = documents.map((name, i) =>
    documentRow({
      id: `r${number}-${i + 1}`,
      name,
      rank: i + 1,
      grade: grades[i],
      levels,
      title: [titles?.[i], `${name}, score ${scores[i]}`].filter(Boolean).join("\n"),
    }),
  );
  const attributes = { role: "listbox", tabindex: 0, "data-key": `ranked ${run}`, "aria-label": `Ranking of ${run}` };
  return el("ol.ranked", attributes, rows);
}

/** The lines between the documents of two neighbouring rankings. */
function linesBetween(left, right) {
  const place = new Map(right.documents.map((name, i) => [name, i]));
  const height = ROW_HEIGHT * Math.max(left.documents.length, right.documents.length, 1);
  const middle = (i) => (i + 0.5) * ROW_HEIGHT;
  const lines = left.documents.map((name, i) => {
    const ends = { x1: 0, x2: 48, y1: middle(i), y2: middle(place.get(name)) };
    const kind = gradeKind(left.grades[i], left.levels);
    return place.has(name) && svg("line.same", { ...ends, "data-grade": kind, "data-document": name });
  });
  return svg("svg.between", { viewBox: `0 0 48 ${height}`, width: 48, height, "aria-hidden": "true" }, lines);
}

/** Relevant documents that are not in the ranking as far as it is shown. */
function missedList({ missed, missed_in_all: all, relevant, judged, levels }) {
  const none = judged ? "The topic has no relevant document." : "No document is judged yet.";
  const nothing = relevant ? "All relevant documents are listed above." : none;
  if (!missed.length) return el("p.hint", nothing);
  const rows = missed.map(([name, grade, rank]) => {
    const place = el("span.doc-rank", rank ?? "–");
    return el("li.doc", { "data-document": name }, gradeBox(grade, levels), documentName(name), place);
  });
  return el(
    "div",
    el("h3", `Missed: ${all} relevant`),
    el("ul.missed", rows),
    all > missed.length && el("p.hint", `and ${all - missed.length} more`),
  );
}

/** The column of a ranking, with its list or a word on why there is none. */
function rankingColumn(ranking, list) {
  const { name, colour, retrieved } = ranking;
  return el(
    "section.column",
    el(
      "div.column-head",
      el("h3", { style: { "--colour": colour }, title: name }, name),
      el("p.count", retrieved ? `${retrieved} retrieved` : "nothing retrieved"),
    ),
    retrieved ? list : el("p.empty", "This run has no results for the topic."),
    missedList(ranking),
  );
}

/** Rankings beside each other, the text of a document, and curves, with one cursor for all of them. */
function sideBySide(rankings, parameters) {
  const lists = rankings.map(rankedList),
    text = textPanel();
  const side = el(
    "div.sides",
    rankings.map((ranking, i) => [
      i > 0 && el("div.gap", linesBetween(rankings[i - 1], ranking)),
      rankingColumn(ranking, lists[i]),
    ]),
  );
  const filled = rankings.filter(({ documents }) => documents.length);
  const lacking = filled.length ? "Curves need judgments." : "No run has results for this topic.";
  const panels =
    filled.length && rankings[0].judged
      ? curvePanels(curveLines(filled), rankings[0].relevant, (rank) => mark(rank ?? chosen))
      : { element: el("p.empty", lacking), mark() {} };
  let chosen = Number(parameters.get("rank")) || null,
    current = parameters.get("document");

  /** Mark a rank in all lists and curves. */
  function mark(rank, follow = false) {
    for (const row of side.querySelectorAll("[aria-selected=true]")) change(row, { "aria-selected": "false" });
    for (const list of lists) {
      const row = rank === null ? undefined : list.children[rank - 1];
      if (row) change(row, { "aria-selected": "true" });
      change(list, { "aria-activedescendant": row?.id });
      if (follow) row?.scrollIntoView({ block: "nearest" });
    }
    panels.mark(rank);
  }

  /** Show where a document is, in all lists. */
  function light(name) {
    for (const each of side.querySelectorAll("[data-document]"))
      each.classList.toggle("lit", each.dataset.document === name);
  }

  function open(rank, name) {
    [chosen, current] = [rank, name];
    mark(rank, true);
    light(name);
    text.show(name);
    remember(changed({ rank: rank ?? undefined, document: name }));
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
  for (const list of lists)
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
  if (current) {
    light(current);
    text.show(current);
  }
  if (chosen) mark(chosen);
  return [
    el("div.with-text", el("div.side-scroll", { tabindex: -1, "data-key": "rankings" }, side), text.element),
    lineLegend(rankings),
    panels.element,
  ];
}

/** Make the documents pale that do not have some words in their ids or titles, and show the first that has. */
function dim(place, words) {
  const rows = [...place.querySelectorAll(".doc")],
    matches = matcher(words);
  for (const row of rows) row.classList.toggle("pale", !matches(`${row.dataset.document} ${row.querySelector(".doc-name").title}`));
  if (words) rows.find((row) => !row.matches(".pale"))?.scrollIntoView({ block: "nearest" });
}

VIEWS.set("ranking", {
  needs: "rankings",
  title: "Ranking",
  saves: ["figure"],
  async show(place, parameters, app) {
    const { session, state } = app,
      depth = (live && Number(parameters.get("depth"))) || session.ranking_depth, // a saved page has one depth
      topics = await topicsInOrder(parameters, app),
      topic = state.topic ?? topics[0] ?? session.topics[0],
      runs = state.compared;
    const isHeld = (run) => has("ranking", { topic, run, depth });
    const go = (changes) => app.change({ topic, rank: undefined, document: undefined, ...changes });
    const depths = [...new Set([...DEPTHS, depth])].sort((a, b) => a - b).map((each) => [String(each), each]);
    place.replaceChildren(
      el(
        "div.toolbar",
        topicSteps(session, topics, topic, (name) => go({ topic: name })),
        runColumns(session.runs, runs, (names) => go({ pair: names })),
        finder("Find documents", "", "id or words", (text) => dim(place, text)),
        live && choose("Depth", "depth", depths, String(depth), (value) => go({ depth: value })),
        session.judged &&
          el("a.action", { href: address("what-if", { topic, of: runs.at(-1) }) }, `What if, for ${runs.at(-1)}`),
      ),
      notHere(parameters, session),
    );
    const lacking = runs.filter((run) => !isHeld(run)).join(", ");
    if (lacking) {
      const text = `This saved page does not hold the ranking of ${lacking} for this topic; \`rankgauge explore\` shows it.`;
      return place.append(el("p.empty", text));
    }
    const answers = await Promise.all(runs.map((run) => ask("ranking", { topic, run, depth })));
    const rankings = answers.map((answer, i) => ({ ...answer, name: runs[i], colour: COLUMN_COLOURS[i] }));
    const { query, relevant, judged, levels } = answers[0];
    return place.append(
      query ? el("p.query", query) : "",
      el("p.facts", `${relevant} relevant of ${judged} judged documents.`),
      gradeLegend(levels),
      ...sideBySide(rankings, parameters),
    );
  },
});

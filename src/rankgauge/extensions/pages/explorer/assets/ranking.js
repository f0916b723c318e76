// Rankings of one topic, up to four runs side by side: where they differ, and what that did to a measure.

import { VIEWS, address, changed, remember } from "./views.js";
import { button, change, choose, counted, effectOf, el, oncePainted, shown, signed, svg } from "./dom.js";
import { withModifier } from "./dom.js";
import { ask, has, live } from "./source.js";
import { finder, matcher, notHere, placeOf, runColumns, topicSteps, topicsInOrder } from "./choosers.js";
import { ROW_HEIGHT, TEXT_HEIGHT, documentName, documentRow, gradeBox, gradeKind } from "./documents.js";
import { gradeLegend, markedText, textPanel, unjudgedNote } from "./documents.js";
import { REFERENCE, curvePanels, lineLegend, lineStyle } from "./linecharts.js";
import { measureChoice } from "./measures.js";
import { explanationPlace, matrixPlace, subtopicMatrix } from "./explanations.js";

const DEPTHS = [10, 20, 50, 100, 200, 500, 1000];
const MAX_REASONS = 6; // documents that are listed for a difference

/** The ranking of a run from the answer about its topic: a list of {name, grade, title, snippet, rank}, and more. */
function rankingOf(answer, run, place) {
  const { documents, runs, ideal, ...topic } = answer,
    { ranked, scores, missed, values, curves, ...rest } = runs[run],
    all = ["grades", "titles", "snippets"].map((name) => documents[name] ?? []);
  const documentAt = (i) => ({ name: documents.ids[i], grade: all[0][i], title: all[1][i], snippet: all[2][i] });
  return {
    ...topic,
    ...rest,
    name: run,
    documents: ranked.map((i, n) => ({ ...documentAt(i), rank: n + 1 })),
    scores,
    missed: missed.map(([i, rank]) => ({ ...documentAt(i), rank })),
    value: values[place] ?? null,
    curve: curves[place] ?? null,
  };
}

/** {name: document} of all that are known, with their texts. */
function textsOf(rankings) {
  const all = rankings.flatMap(({ missed, documents }) => [...missed, ...documents]);
  return new Map(all.map((each) => [each.name, each]));
}

/** How far a document moved, and what that did to the value; `largest` is the share with the longest bar. */
function effectBox([, was, , move, share] = [], { direction, largest, alone }) {
  if (move === undefined) return null;
  const size = `${Math.round((100 * Math.abs(share ?? 0)) / largest)}%`,
    attributes = { class: `effect ${effectOf(share, direction)}`, style: { "--size": size } },
    before = was === null ? "not retrieved before" : `rank ${was} before`;
  const shareOf = share ? el("span.share", signed(share)) : null;
  return el("span", attributes, !alone && el("span.move", { title: before }, move), shareOf);
}

/** The rankings, each with its difference from the first, and `effect(id)`: the move of a document and its share. */
function compareRankings(rankings, changes, measure) {
  const [{ value: base }] = rankings,
    count = rankings.length,
    sizes = changes.flatMap((each) => each?.documents ?? []).map((each) => Math.abs(each[4] ?? 0)),
    options = { direction: measure?.direction, largest: Math.max(...sizes, 1e-9), alone: count === 1 },
    inSecond = new Set(rankings[1]?.documents.map(({ name }) => name));
  return rankings.map((ranking, i) => {
    const { value } = ranking,
      shares = new Map(changes[Math.max(0, i - 1)]?.documents.map((each) => [each[0], each]));
    // Each share stands once: at the new place of a document or, if that is not shown, at its old one.
    const isShown = (id) => i > 0 || count === 1 || (count === 2 && !inSecond.has(id));
    return {
      ...ranking,
      measure,
      colour: lineStyle(i).colour,
      difference: i ? (value === null || base === null ? null : value - base) : undefined,
      alike: i > 0 && changes[i - 1]?.alike,
      effect: (id) => isShown(id) && effectBox(shares.get(id), options),
    };
  });
}

/** A ranking as a list box, of which so many rows are seen at first; rows know their rank and document. */
function rankedList({ name: run, documents, scores, levels, effect }, number, seen) {
  const rowOf = (document) => {
    const after = effect(document.name);
    return documentRow({
      ...document,
      id: `r${number}-${document.rank}`,
      levels,
      label: after ? [...after.childNodes].map(({ textContent }) => `, ${textContent}`).join("") : "",
      hint: `${document.name}, score ${scores[document.rank - 1]}`,
      after,
    });
  };
  const attributes = { role: "listbox", tabindex: 0, "data-key": `ranked ${run}`, "aria-label": `Ranking of ${run}` };
  return filledLater(el("ol.ranked", attributes), documents, rowOf, seen);
}

/** A list with an element for each of some items: the first at once, the others once these were painted. */
function filledLater(list, items, elementOf, first = 0) {
  list.append(...items.slice(0, first).map(elementOf));
  oncePainted(list, () => list.append(...items.slice(first).map(elementOf)));
  return list;
}

/** The lines between the documents of two neighbouring rankings, whose rows are so many pixels high. */
function linesBetween(left, right, row, seen) {
  const place = new Map(right.documents.map(({ name }, i) => [name, i]));
  const height = row * Math.max(left.documents.length, right.documents.length, 1);
  const middle = (i) => (i + 0.5) * row;
  const lineOf = ({ name, grade, rank }) => {
    const ends = { x1: 0, x2: 48, y1: middle(rank - 1), y2: middle(place.get(name)) };
    return svg("line.same", { ...ends, "data-grade": gradeKind(grade, left.levels), "data-document": name });
  };
  const picture = svg("svg.between", { viewBox: `0 0 48 ${height}`, width: 48, height, "aria-hidden": "true" }),
    both = left.documents.filter(({ name }) => place.has(name));
  return filledLater(picture, both, lineOf, seen);
}

/** Relevant documents that are not in the ranking as far as it is shown. */
function missedList({ missed, missed_in_all: all, relevant, judged, levels }) {
  const none = judged ? "The topic has no relevant document." : "No document is judged yet.";
  const nothing = relevant ? "All relevant documents are listed above." : none;
  if (!missed.length) return el("p.hint", nothing);
  const rowOf = ({ name, grade, rank, title }) => {
    const heading = title?.join("") || name,
      place = el("span.doc-rank", rank ?? "–");
    return el("li.doc", { "data-document": name }, gradeBox(grade, levels), documentName(heading, name), place);
  };
  const more = all > missed.length && el("p.hint", `and ${all - missed.length} more`);
  return el("div", el("h3", `Missed: ${all} relevant`), filledLater(el("ul.missed"), missed, rowOf), more);
}

/** How alike two rankings are, whatever the judgments. */
function alikeness({ depth, rbo, overlap, moved, came, went }) {
  const similar = `Overlap ${shown(overlap, 2)}, rank-biased overlap (RBO) ${shown(rbo, 2)}.`;
  return `${similar} Of the first ${depth}, ${moved} moved, ${came} came and ${went} went.`;
}

/** The column of a ranking: its value, the difference from the first one, and its list or why there is none. */
function rankingColumn({ name, colour, retrieved, value, difference, measure, alike, ...ranking }, list, explain) {
  const by = () => el("span", { class: effectOf(difference, measure.direction) }, ` ${signed(difference)}`),
    similar = alike && ["RBO ", el("b", shown(alike.rbo))],
    values = measure && [`${measure.label} `, el("b", shown(value)), difference !== undefined && by()],
    attributes = { "data-key": `explain ${name}`, title: "The value, rank by rank" };
  const head = [
    el("h3", { style: { "--colour": colour }, title: name }, name),
    el("p.value", values ?? similar),
    el("p.count", `${retrieved || "nothing"} retrieved`, explain && button("Explain", explain, attributes)),
  ];
  const content = retrieved ? list : el("p.empty", "This run has no results for the topic.");
  return el("section.column", el("div.column-head", head), content, missedList(ranking));
}

/** What made the difference, or the value of a single run: the documents with the largest shares, and the rest. */
function reasons({ documents, difference, way, rest, alike }, name, rankings) {
  const [{ name: first, levels, measure }] = rankings,
    known = textsOf(rankings),
    alone = name === first;
  const ordered = documents.filter((each) => each[4]).sort((a, b) => Math.abs(b[4]) - Math.abs(a[4])),
    others = ordered.slice(MAX_REASONS),
    more = others.reduce((sum, each) => sum + each[4], 0);
  const line = (share, ...content) =>
    el("li.reason", el("b", { class: effectOf(share, measure.direction) }, signed(share)), content);
  const rows = ordered.slice(0, MAX_REASONS).map(([document, was, is, , share]) => {
    const { title, grade = null } = known.get(document) ?? {},
      ranks = el("small", alone ? ` rank ${is}` : ` ${was ?? "–"} → ${is ?? "–"}`),
      link = el("button", { "data-document": document }, markedText(title) ?? document, ranks);
    return line(share, gradeBox(grade, levels), link);
  });
  if (others.length > 0) rows.push(line(more, counted(others.length, "more document")));
  if (rest) rows.push(line(rest, "the number of documents"));
  const heading = alone ? `What ${measure.label} ${shown(difference)} is made of` : `${name} against ${first}`,
    nothing = !ordered.length && difference === 0 && "No document changed the value.",
    hints = alone ? [] : [measure && el("p.hint", nothing || way), el("p.hint", alikeness(alike))];
  return el("section.reasons", el("h3", heading), el("ul", rows), hints);
}

/** Buttons that show one column at a time, where there is no room for several: by the last run at first. */
function runSwitch(rankings, columns) {
  const buttonOf = ({ name, colour, value, difference, measure }, i) => {
    const by = () => el("b", { class: effectOf(difference, measure.direction) }, signed(difference)),
      values = measure && [shown(value), " ", difference !== undefined && by()],
      content = [el("span", name), values];
    return button(content, () => turn(i), { style: { "--colour": colour }, "data-key": `show ${name}` });
  };
  const buttons = rankings.map(buttonOf);
  const turn = (i) => {
    columns.forEach((column, n) => column.classList.toggle("away", n !== i));
    buttons.forEach((each, n) => change(each, { "aria-pressed": String(n === i) }));
  };
  turn(columns.length - 1);
  return columns.length > 1 && el("div.run-switch", { role: "group", "aria-label": "Ranking to show" }, buttons);
}

/** Rankings beside each other, the text of a document, and a curve, with one cursor for all of them. */
function sideBySide(rankings, { parameters, topic, measure, ideal, reason, explain }) {
  const texts = textsOf(rankings),
    hasTexts = [...texts.values()].some(({ title, snippet }) => title || snippet),
    text = textPanel(topic, texts),
    row = hasTexts ? TEXT_HEIGHT : ROW_HEIGHT,
    seen = Math.ceil(innerHeight / row),
    lists = rankings.map((ranking, i) => rankedList(ranking, i, seen)),
    columns = rankings.map((ranking, i) => rankingColumn(ranking, lists[i], explain(ranking.name)));
  const side = el(
    `div.sides${hasTexts ? ".with-snippets" : ""}${rankings.length > 2 ? ".many" : ""}`,
    rankings.map((ranking, i) => [
      i > 0 && el("div.gap", linesBetween(rankings[i - 1], ranking, row, seen)),
      columns[i],
    ]),
  );
  const lines = [
    ...rankings.map(({ name, colour, curve }) => ({ name, colour, values: curve })),
    { ...REFERENCE, name: "ideal", values: ideal },
  ];
  const title = measure && `${measure.label.replace(/@\d+$/, "")} by rank`,
    panels = ideal
      ? curvePanels([{ title, lines }], measure.cutoff ?? 0, (rank) => mark(rank ?? chosen))
      : { element: measure ? el("p.hint", `${measure.label} has no value at every rank.`) : "", mark() {} };
  let chosen = Number(parameters.get("rank")) || null,
    current = parameters.get("document");
  text.element.hidden = !current;

  /** Mark a rank in all lists and curves. */
  function mark(rank, follow = false) {
    for (const each of side.querySelectorAll("[aria-selected=true]")) change(each, { "aria-selected": "false" });
    for (const list of lists) {
      const at = rank === null ? undefined : list.children[rank - 1];
      if (at) change(at, { "aria-selected": "true" });
      change(list, { "aria-activedescendant": at?.id });
      if (follow) at?.scrollIntoView({ block: "nearest" });
    }
    panels.mark(rank);
  }

  /** Show where a document is, in all lists. */
  function light(name) {
    for (const each of page.querySelectorAll("[data-document]"))
      each.classList.toggle("lit", each.dataset.document === name);
  }

  function open(rank, name) {
    [chosen, current] = [rank, name];
    mark(rank, true);
    light(name);
    text.element.hidden = false;
    text.show(name);
    remember(changed({ rank: rank ?? undefined, document: name }));
  }

  const page = el(
    "div.with-text",
    el("div.side-scroll", { tabindex: -1, "data-key": "rankings" }, runSwitch(rankings, columns), side),
    el("div.beside", ideal && lineLegend(lines), panels.element, text.element, reason),
  );
  for (const name of ["pointerover", "focusin"])
    page.addEventListener(name, (event) => {
      const at = event.target.closest("[data-document]");
      if (at) light(at.dataset.document);
      if (at?.dataset.rank) mark(Number(at.dataset.rank));
    });
  for (const name of ["pointerleave", "focusout"]) page.addEventListener(name, () => remind());
  page.addEventListener("click", (event) => {
    const at = event.target.closest("[data-document]");
    if (at) open(at.dataset.rank ? Number(at.dataset.rank) : chosen, at.dataset.document);
    if (at?.matches("button")) side.querySelector(".ranked .lit")?.scrollIntoView({ block: "nearest" });
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
      if (to === undefined || withModifier(event)) return;
      event.preventDefault();
      const rank = Math.max(1, Math.min(to, list.children.length));
      open(rank, list.children[rank - 1].dataset.document);
    });
  const remind = () => {
    light(current);
    mark(chosen);
  };
  if (current) text.show(current);
  remind();
  oncePainted(page, remind); // for rows that come later
  return page;
}

/** Make the documents pale that do not have some words in their ids or texts, and show the first that has. */
function dim(place, words) {
  const rows = [...place.querySelectorAll(".sides .doc")],
    matches = matcher(words),
    textOf = (row) => `${row.dataset.document} ${row.querySelector(".doc-text, .doc-name").textContent}`;
  for (const row of rows) row.classList.toggle("pale", !matches(textOf(row)));
  if (words) rows.find((row) => !row.matches(".pale"))?.scrollIntoView({ block: "nearest" });
}

VIEWS.set("ranking", {
  title: "Ranking",
  saves: ["figure"],
  async show(place, parameters, app) {
    const { session, state } = app,
      listed = await topicsInOrder(parameters, app),
      { topics } = listed,
      topic = state.topic ?? topics[0] ?? session.topics[0],
      runs = state.compared,
      [first] = runs;
    const by = session.judged ? (state.measure ?? session.measures[0]) : undefined,
      wholeOf = (depth) => ({ topic, depth, runs, measures: by, texts: depth }),
      wanted = Number(parameters.get("depth")) || session.ranking_depth,
      isWhole = live || has("ranking", wholeOf(wanted)),
      depth = isWhole ? wanted : session.ranking_depth, // a saved page has one depth, except where it was saved,
      request = isWhole ? wholeOf(depth) : { topic, depth }, // and all runs and measures in one answer
      changeOf = (run) => ({ topic, depth, run, measure: by, against: runs.length > 1 ? first : undefined });
    const go = (changes) => app.change({ topic, rank: undefined, document: undefined, explain: undefined, ...changes });
    const depths = [...new Set([...DEPTHS, depth])].sort((a, b) => a - b);
    const compared = runs.length > 1 ? runs.slice(1) : runs,
      changing = compared.map((run) => (has("moves", changeOf(run)) ? ask("moves", changeOf(run)) : null));
    const answer = has("ranking", request) ? await ask("ranking", request) : { runs: {}, measures: [] },
      texts = answer.measures.map(({ text }) => text),
      number = Math.max(0, texts.indexOf(by)),
      measure = answer.measures[number],
      last = runs.at(-1);
    const controls = [
      topicSteps(session, topics, topic, (name) => go({ topic: name })),
      runColumns(session.runs, runs, (names) => go({ pair: names })),
      measure && measureChoice(session.measure_names, measure, (text) => go({ measure: text })),
      finder("Find documents", "", "id or words", (text) => dim(place, text)),
      live && choose("Depth", "depth", depths, String(depth), (value) => go({ depth: value })),
      VIEWS.has("what-if") && el("a.action", { href: address("what-if", { topic, of: last }), title: last }, "What if"),
    ];
    place.replaceChildren(el("div.toolbar", controls), notHere(parameters, session));
    const lacking = runs.filter((run) => !answer.runs[run]).join(", "),
      notRanked = `This saved page does not hold the ranking of ${lacking} for this topic.`;
    if (lacking) return place.append(el("p.empty", notRanked));
    const changes = await Promise.all(changing),
      each = runs.map((run) => rankingOf(answer, run, number)),
      rankings = compareRankings(each, changes, measure),
      [{ query, relevant, judged, levels }] = rankings;
    const missing = [!changes[0] && "moves of documents between these runs", measure && "explanations of values"],
      notHeld = missing.filter(Boolean).join(" and "),
      all = listed.of && [" ", el("a", { href: address("ranking", { topic, find: undefined }) }, "All topics"), "."],
      found = session.judged ? ` ${relevant} relevant of ${judged} judged documents.` : "",
      byDigits = "A document without a judgment takes one: choose it, and press a digit.",
      grading = VIEWS.has("judge") && el("p.hint", byDigits),
      whyOf = (run) => ({ topic, run, measure: by }),
      canExplain = (run) => measure && runs.includes(run) && has("explanation", whyOf(run)),
      explained = explanationPlace(whyOf),
      explains = parameters.get("explain");
    const onExplain = (run) => async () => {
      remember(changed({ explain: run }));
      await explained.show(run);
      explained.element.scrollIntoView({ block: "start" });
    };
    const matrices = rankings
      .map((ranking) => ({ ranking, request: { ...whyOf(ranking.name), depth } }))
      .filter(({ request }) => session.subtopics && has("subtopics", request))
      .map(({ ranking, request }) => ask("subtopics", request).then((found) => subtopicMatrix(found, ranking)));
    const ideal = answer.ideal[number],
      explain = (run) => canExplain(run) && onExplain(run);
    const reason = [
      runs.length > 1 && measure && unjudgedNote(app, measure.text, topic),
      changes[0] && (measure || runs.length > 1) && reasons(changes[0], compared[0], rankings),
      !live && notHeld && el("p.hint", `This saved page has no ${notHeld}; \`rankgauge explore\` shows them.`),
    ];
    place.append(
      el("h2.unseen", `Topic ${topic}`),
      query ? el("p.query", query) : "",
      el("div.row", el("p.facts", placeOf(topic, listed), all, found), grading, session.judged && gradeLegend(levels)),
      matrixPlace(await Promise.all(matrices)),
      sideBySide(rankings, { parameters, topic, measure, ideal, reason, explain }),
      explained.element,
    );
    if (canExplain(explains)) await explained.show(explains);
  },
});

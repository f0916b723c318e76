// What if: a ranking and its judgments, changed by hand, and what that does to the measures.

import { VIEWS, address, changed, keepParameters, remember } from "./views.js";
import { alertOf, button, change, counted, el, oncePainted, shown, submitButton, withModifier } from "./dom.js";
import { ask, send } from "./source.js";
import { measureInput } from "./measures.js";
import { nameChooser, notHere, topicSteps, topicsInOrder } from "./choosers.js";
import { ROW_HEIGHT, documentRow, gradeLegend, textPanel } from "./documents.js";
import { applyEdits, editsText, parseEdits } from "./edits.js";
import { draggable } from "./draglist.js";
import { helpList, valueTable, whatIfCurves, whatIfMatrices } from "./effects.js";

const SEEN_ROWS = 25, // at first
  SHOWN_ROWS = 100,
  MAX_OTHERS = 100;

let onUndoKey = null; // of the ranking that is shown; its controls come and go, and the focus with them
addEventListener("keydown", (event) => onUndoKey?.(event));

/** A row of the ranking, or of the documents that are not in it (rank null). */
function whatIfRow(state, number, rank) {
  const grade = state.now.grades[number],
    was = number < state.retrieved ? number + 1 : null;
  const moved = rank !== null && was !== rank,
    byHand = state.edits.some(({ kind, document }) => kind === "move" && document === number);
  const by = was === null ? "new" : was > rank ? `↑${was - rank}` : `↓${rank - was}`;
  return documentRow({
    id: `w${number}`,
    name: state.documents[number],
    shown: state.names[number],
    rank,
    grade,
    levels: state.levels,
    label: moved ? `, was ${was === null ? "not retrieved" : `at rank ${was}`}` : "",
    "data-number": number,
    "aria-selected": String(state.chosen === number),
    before: el("span.handle", { title: "Drag to another rank", "aria-hidden": "true" }, "⠿"),
    after: [
      grade !== state.grades[number] && el("span.change", `was ${state.grades[number] ?? "?"}`),
      moved && el(byHand ? "span.change" : "span.change.pushed", by),
    ],
  });
}

/** What can be done with the chosen document. */
function documentTools({ chosen: document, documents, names, now }, act) {
  if (document === null)
    return el(
      "p.hint",
      "Choose a document to move, judge or remove it. Drag it by its handle; with Alt, the arrow keys move it, Delete removes it, and a digit is its new grade.",
    );
  const rank = now.ranking.indexOf(document) + 1,
    last = now.ranking.length + (rank ? 0 : 1);
  const setRank = ({ target }) => {
    if (target.checkValidity() && target.value)
      act({ kind: "move", document, rank: Math.min(Number(target.value), last) });
  };
  const setGrade = ({ target: { validity, value } }) => {
    if (!validity.badInput) act({ kind: "grade", document, grade: value === "" ? null : Number(value) });
  };
  const grade = now.grades[document];
  const place = { type: "number", min: 1, max: now.ranking.length + 1, value: rank || "", onchange: setRank };
  const given = { type: "number", step: "any", value: grade ?? "", placeholder: "unjudged", onchange: setGrade };
  return el(
    "div.tools",
    { role: "group", "aria-label": "The chosen document" },
    el("strong", { title: documents[document] }, names[document]),
    el("label", "Rank ", el("input", place)),
    el("label", "Grade ", el("input", given)),
    button("Unjudge", () => act({ kind: "grade", document, grade: null }), { disabled: grade === null }),
    button("Remove", () => act({ kind: "remove", document }), { disabled: !rank }),
    button("Cut the list here", () => act({ kind: "cut", length: rank }), { disabled: !rank }),
  );
}

/** Show the view and keep it up to date: every change goes into the address and to the library. */
async function showWhatIf(place, parameters, app) {
  const { session, state: shared } = app,
    { topics } = await topicsInOrder(parameters, app),
    topic = shared.topic ?? topics[0] ?? session.topics[0],
    run = session.runs.includes(parameters.get("of")) ? parameters.get("of") : shared.compared.at(-1);
  const measures = parameters.get("measures") ?? session.measures.join(" "),
    added = parameters.getAll("add");
  const given = await ask("what-if", { topic, run, measures, added: added.length ? added : undefined });
  const state = {
    ...given,
    before: given,
    names: given.documents.map((id, number) => given.titles[number] || id),
    edits: parseEdits(parameters.get("edits")),
    undone: [],
    chosen: null,
    rows: SEEN_ROWS,
    by: parameters.get("by") ?? undefined,
    half: "", // what was said about half of the gap
  };
  const text = textPanel(topic),
    list = el("ol.ranked", { role: "listbox", tabindex: 0, "data-key": "ranked", "aria-label": `Ranking of ${run}` }),
    others = el("ul.missed", { role: "listbox", tabindex: 0, "aria-label": "Documents that are not in the ranking" }),
    more = el("p.hint"),
    tools = el("div.tools-place"),
    values = el("div", { "aria-live": "polite" }),
    curves = el("div"),
    matrices = el("div"),
    helps = el("div"),
    status = el("p.facts", { role: "status" });
  const undo = button("Undo", () => step(state.edits, state.undone), { title: "Ctrl+Z" }),
    redo = button("Redo", () => step(state.undone, state.edits), { title: "Ctrl+Y" }),
    reset = button("Reset", () => {
      state.undone = [];
      state.edits = [];
      update();
    });
  let asked = 0,
    over = null; // the change by dragging, while that is measured

  function step(from, to) {
    if (!from.length) return;
    to.push(from.pop());
    state.half = "";
    update();
  }

  function act(...edits) {
    const { document } = edits.at(-1);
    state.edits.push(...edits);
    state.undone = [];
    state.half = "";
    if (document !== undefined && document !== state.chosen) {
      state.chosen = document;
      text.show(state.documents[state.chosen]);
    }
    return update();
  }

  /** Make the fewest of the best moves that close half of the gap to the ideal ranking. */
  async function closeHalf() {
    const { by } = state.answer.helps,
      { label } = state.answer.measures.find(({ text }) => text === by),
      mine = asked;
    const { halfway } = await send("POST", "what-if-halfway", { ...state.request, by });
    if (mine !== asked) return;
    const edits = (halfway?.moves ?? []).map(([document, rank]) => ({ kind: "move", document, rank }));
    if (edits.length) await act(...edits);
    state.half = edits.length
      ? ` ${counted(edits.length, "move")} made: ${label} ${shown(halfway.before)} → ${shown(halfway.after)}, of ${shown(halfway.ideal)} in the ideal ranking.`
      : " There is no gap to the ideal ranking, or a few moves do not close half of it.";
    fillHelps();
  }

  const fillHelps = () => helps.replaceChildren(...helpList(state.answer, state, { act, by: helpBy, closeHalf }));

  function helpBy(measure) {
    state.by = measure;
    state.half = "";
    update();
  }

  function choose(number) {
    state.chosen = number;
    fill();
    text.show(state.documents[number]);
  }

  /** Show the ranking as it is after the changes. */
  function fill() {
    state.now = applyEdits(state, state.edits);
    const { ranking, grades } = state.now,
      inside = new Set(ranking),
      rows = Math.max(state.rows, ranking.indexOf(state.chosen) + 11),
      byGrade = (a, b) => (grades[b] ?? -Infinity) - (grades[a] ?? -Infinity) || a - b;
    const left = [...state.documents.keys()].filter((number) => !inside.has(number)).sort(byGrade);
    list.replaceChildren(...ranking.slice(0, rows).map((number, i) => whatIfRow(state, number, i + 1)));
    const below = left.slice(0, state.rows === SEEN_ROWS ? SEEN_ROWS : MAX_OTHERS);
    others.replaceChildren(...below.map((number) => whatIfRow(state, number, null)));
    more.textContent = ranking.length > rows ? `and ${ranking.length - rows} more; any rank can be typed` : "";
    for (const box of [list, others])
      change(box, { "aria-activedescendant": box.querySelector("[aria-selected=true]")?.id });
    tools.replaceChildren(documentTools(state, act));
    undo.disabled = reset.disabled = !state.edits.length;
    redo.disabled = !state.undone.length;
    status.textContent = state.edits.length ? `${counted(state.edits.length, "change")}.` : "Nothing is changed yet.";
  }

  /** Put the changes into the address, and into later ones of this view for the same topic and run. */
  function store() {
    const of = { topic, of: run },
      own = { by: state.by, edits: editsText(state.edits) };
    keepParameters("what-if", of, { ...own, add: added });
    remember(changed({ ...of, ...own }));
  }

  /** Ask the library for the values after the changes; only the latest answer is shown. */
  async function update(dragged) {
    const mine = (asked += 1);
    if (!dragged) {
      over = null;
      fill();
      if (place.isConnected) store();
    }
    const now = dragged ? applyEdits(state, [...state.edits, dragged]) : state.now,
      { ranking } = now,
      same = ranking.length === state.retrieved && ranking.every((number, i) => number === i);
    const grades = now.grades
      .map((grade, document) => ({ document, grade }))
      .filter(({ document, grade }) => grade !== state.grades[document]);
    try {
      const request = { topic, run, measures, added, by: state.by, grades, ranking: same ? undefined : ranking };
      if (dragged) request.dragged = 1;
      const answer = await send("POST", "what-if", request);
      if (mine !== asked) return;
      values.replaceChildren(valueTable(answer, state.before));
      whatIfCurves(curves, answer, state);
      matrices.replaceChildren(whatIfMatrices(answer));
      if (dragged) return;
      Object.assign(state, { answer, request });
      fillHelps();
    } catch (error) {
      if (mine === asked) values.replaceChildren(alertOf(error.message));
    }
    if (mine === asked) place.dataset.updated = String(asked);
  }

  function onKey(event) {
    const number = state.chosen,
      { ranking } = state.now,
      rank = ranking.indexOf(number) + 1,
      rows = [...event.currentTarget.querySelectorAll(".doc")];
    const by = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (by && event.altKey) {
      if (number === null) return;
      const to = rank ? Math.max(1, Math.min(rank + by, ranking.length)) : ranking.length + 1;
      if (to !== rank) act({ kind: "move", document: number, rank: to });
    } else if (by) {
      const at = rows.findIndex((row) => Number(row.dataset.number) === number);
      const row = rows[Math.max(0, Math.min(at + by, rows.length - 1))];
      if (row) choose(Number(row.dataset.number));
    } else if (event.key === "Delete" && rank) {
      act({ kind: "remove", document: number });
    } else if (/^\d$/.test(event.key) && number !== null && !withModifier(event)) {
      act({ kind: "grade", document: number, grade: Number(event.key) });
    } else return;
    event.preventDefault();
    event.currentTarget.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  const addDocument = (event) => {
    event.preventDefault();
    const id = event.target.elements[0].value.trim();
    if (id && !state.documents.includes(id)) app.change({ add: [...added, id] });
  };
  const another = el("label", "Another document ", el("input", { type: "text", placeholder: "its id" }));
  const work = el(
    "div.what-if-lists",
    el("h2", run),
    el("div.list-scroll", list),
    more,
    el("h2", "Not in the ranking"),
    el("div.list-scroll.low", others),
    el("form.tools", { onsubmit: addDocument }, another, submitButton("Add")),
  );
  work.addEventListener("click", (event) => {
    const row = event.target.closest(".doc");
    if (row) choose(Number(row.dataset.number));
  });
  for (const box of [list, others]) box.addEventListener("keydown", onKey);
  onUndoKey = (event) => {
    const key = event.key.toLowerCase(),
      known = (event.ctrlKey || event.metaKey) && (key === "z" || key === "y");
    if (!known || !place.isConnected || event.target.matches?.("input")) return;
    event.preventDefault();
    key === "y" || event.shiftKey ? step(state.undone, state.edits) : step(state.edits, state.undone);
  };
  /** Show what a dragged document would do where it is, one request after the other. */
  async function drag(document, rank) {
    const isBusy = Boolean(over);
    over = rank === null ? { kind: "cut", length: Infinity } : { kind: "move", document, rank };
    for (let last; !isBusy && over && last !== over; ) await update((last = over));
    if (!isBusy) over = null;
  }
  draggable(work, list, ROW_HEIGHT, (document, rank) => act({ kind: "move", document, rank }), drag);
  const anew = (changes) => app.change({ topic, of: run, add: undefined, by: undefined, edits: undefined, ...changes });
  const setMeasures = (texts) =>
    app.change({ measures: texts.join(" "), by: texts.includes(state.by) ? state.by : undefined });
  const href = address("ranking", { topic, ...(!shared.compared.includes(run) && { pair: run }) });
  place.replaceChildren(
    el(
      "div.toolbar",
      topicSteps(session, topics, topic, (name) => anew({ topic: name })),
      nameChooser("Run", session.runs, run, (name) => anew({ of: name })),
      measureInput({ chosen: given.measures, onChange: setMeasures }),
      el("div.steps", undo, redo, reset),
      el("a.action", { href }, "The ranking as it is"),
    ),
    notHere(parameters, session),
    given.query ? el("p.query", given.query) : "",
    gradeLegend(given.levels),
    status,
    tools,
    el("div.what-if-columns", work, el("div", values, matrices, curves, helps), text.element),
  );
  await update();
  oncePainted(list, () => {
    state.rows = SHOWN_ROWS;
    fill();
    if (state.edits.length) store();
  });
}

VIEWS.set("what-if", { title: "What if", live: true, styles: "ranking", show: showWhatIf });

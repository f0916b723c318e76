// What if: a ranking and its judgments, changed by hand, and what that does to the measures.

import { VIEWS, address, remember } from "./views.js";
import { el } from "./dom.js";
import { ask, live, send } from "./source.js";
import { measureInput } from "./measures.js";
import { runChooser, topicSteps } from "./choosers.js";
import { documentName, gradeBox, gradeKind, gradeLegend, gradeWords, textPanel } from "./documents.js";
import { applyEdits, editsText, parseEdits } from "./edits.js";
import { draggable } from "./draglist.js";
import { ROW_HEIGHT, firstRuns, firstTopic, notHere } from "./ranking.js";
import { effectTables, whatIfCurves } from "./effects.js";

const SHOWN_ROWS = 100;

/** A row of the ranking, or of the documents that are not in it (rank null). */
function whatIfRow(state, number, rank) {
  const name = state.documents[number],
    grade = state.now.grades[number];
  const was = number < state.retrieved ? number + 1 : null;
  const moved = rank !== null && was !== rank,
    byHand = state.edits.some((edit) => edit.kind === "move" && edit.document === number);
  return el(
    "li.doc",
    {
      id: `w${number}`,
      role: "option",
      "data-rank": rank ?? "",
      "data-number": number,
      "data-document": name,
      "data-grade": gradeKind(grade, state.levels),
      "aria-selected": String(state.chosen === number),
      "aria-label": `${rank === null ? "not retrieved" : `rank ${rank}`}, ${name}, ${gradeWords(grade)}${moved ? `, was ${was === null ? "not retrieved" : `at rank ${was}`}` : ""}`,
    },
    el("span.handle", { title: "Drag to another rank", "aria-hidden": "true" }, "⠿"),
    el("span.doc-rank", rank ?? "–"),
    gradeBox(grade, state.levels),
    documentName(name),
    grade !== state.grades[number] && el("span.change", `was ${state.grades[number] ?? "?"}`),
    moved &&
      el(
        "span",
        { className: byHand ? "change" : "change pushed" },
        was === null ? "new" : was > rank ? `↑${was - rank}` : `↓${rank - was}`,
      ),
  );
}

/** What can be done with the chosen document. */
function documentTools(state, act) {
  const number = state.chosen;
  if (number === null)
    return el(
      "p.hint",
      "Choose a document to move, judge or remove it. Drag it by its handle; with Alt, the arrow keys move it, Delete removes it, and a digit is its new grade.",
    );
  const rank = state.now.ranking.indexOf(number) + 1;
  const place = el("input", {
    type: "number",
    min: "1",
    max: String(state.now.ranking.length + 1),
    value: rank || "",
    onchange: () => {
      if (place.checkValidity() && place.value)
        act({
          kind: "move",
          document: number,
          rank: Math.min(Number(place.value), state.now.ranking.length + (rank ? 0 : 1)),
        });
    },
  });
  const grade = el("input", {
    type: "number",
    step: "any",
    value: state.now.grades[number] ?? "",
    placeholder: "unjudged",
    onchange: () => {
      if (grade.validity.badInput) return;
      act({ kind: "grade", document: number, grade: grade.value === "" ? null : Number(grade.value) });
    },
  });
  return el(
    "div.tools",
    { role: "group", "aria-label": "The chosen document" },
    el("strong", state.documents[number]),
    el("label", "Rank ", place),
    el("label", "Grade ", grade),
    el(
      "button",
      {
        disabled: state.now.grades[number] === null,
        onclick: () => act({ kind: "grade", document: number, grade: null }),
      },
      "Unjudge",
    ),
    el("button", { disabled: !rank, onclick: () => act({ kind: "remove", document: number }) }, "Remove"),
    el("button", { disabled: !rank, onclick: () => act({ kind: "cut", length: rank }) }, "Cut the list here"),
  );
}

/** Show the view and keep it up to date: every change goes into the address and to the library. */
async function showWhatIf(place, parameters, app) {
  const topic = firstTopic(parameters, app.session),
    [run] = firstRuns(parameters, app.session, 1);
  const measures = parameters.get("measures") ?? app.session.measures.join(" ");
  const added = parameters.getAll("add");
  const given = await ask("what-if", { topic, run, measures, added: added.length ? added : undefined });
  const state = {
    ...given,
    before: given,
    edits: parseEdits(parameters.get("edits")),
    undone: [],
    chosen: null,
    by: parameters.get("by") ?? undefined,
  };
  const here = (changes = {}) => ({
    topic,
    run,
    measures: parameters.get("measures") ?? undefined,
    add: added,
    by: state.by,
    edits: editsText(state.edits),
    ...changes,
  });
  const text = textPanel(),
    list = el("ol.ranked", { role: "listbox", tabIndex: 0, "data-key": "ranked", "aria-label": `Ranking of ${run}` });
  const others = el("ul.missed", { role: "listbox", tabIndex: 0, "aria-label": "Documents that are not in the ranking" });
  const tools = el("div.tools-place"),
    effects = el("div.effects", { "aria-live": "polite" }),
    curves = el("div"),
    status = el("p.facts", { role: "status" });
  const more = el("p.hint");
  const button = (label, keys, click) => el("button", { title: keys, onclick: click }, label);
  const undo = button("Undo", "Ctrl+Z", () => step(state.edits, state.undone)),
    redo = button("Redo", "Ctrl+Shift+Z", () => step(state.undone, state.edits)),
    reset = button("Reset", "", () => {
      state.undone = [];
      state.edits = [];
      update();
    });
  let asked = 0;

  function step(from, to) {
    if (!from.length) return;
    to.push(from.pop());
    update();
  }

  function act(edit) {
    state.edits.push(edit);
    state.undone = [];
    if (edit.document !== undefined && edit.document !== state.chosen) {
      state.chosen = edit.document;
      text.show(state.documents[state.chosen]);
    }
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
    const inside = new Set(state.now.ranking),
      at = state.now.ranking.indexOf(state.chosen);
    const shownRows = Math.max(SHOWN_ROWS, at + 11);
    list.replaceChildren(...state.now.ranking.slice(0, shownRows).map((number, i) => whatIfRow(state, number, i + 1)));
    others.replaceChildren(
      ...state.documents
        .map((_, number) => number)
        .filter((number) => !inside.has(number))
        .sort((a, b) => (state.now.grades[b] ?? -Infinity) - (state.now.grades[a] ?? -Infinity) || a - b)
        .slice(0, 500)
        .map((number) => whatIfRow(state, number, null)),
    );
    more.textContent =
      state.now.ranking.length > shownRows
        ? `and ${state.now.ranking.length - shownRows} more; any rank can be typed`
        : "";
    for (const box of [list, others])
      box.querySelector("[aria-selected=true]")
        ? box.setAttribute("aria-activedescendant", `w${state.chosen}`)
        : box.removeAttribute("aria-activedescendant");
    tools.replaceChildren(documentTools(state, act));
    [undo.disabled, redo.disabled, reset.disabled] = [!state.edits.length, !state.undone.length, !state.edits.length];
    status.textContent = state.edits.length
      ? `${state.edits.length} ${state.edits.length === 1 ? "change" : "changes"}.`
      : "Nothing is changed yet.";
  }

  /** Ask the library for the values after the changes; only the latest answer is shown. */
  async function update() {
    const mine = (asked += 1);
    fill();
    remember(address("what-if", here()));
    const grades = state.now.grades.flatMap((grade, document) =>
      grade === state.grades[document] ? [] : [{ document, grade }],
    );
    const same = state.now.ranking.length === state.retrieved && state.now.ranking.every((number, i) => number === i);
    try {
      const answer = await send("POST", "what-if", {
        topic,
        run,
        measures,
        added,
        by: state.by,
        grades,
        ranking: same ? undefined : state.now.ranking,
      });
      if (mine !== asked) return;
      effects.replaceChildren(
        ...effectTables(answer, state, {
          act,
          by: (measure) => {
            state.by = measure;
            update();
          },
        }),
      );
      await whatIfCurves(curves, answer, state);
    } catch (error) {
      if (mine === asked) effects.replaceChildren(el("p.error", { role: "alert" }, error.message));
    }
    if (mine === asked) place.dataset.updated = String(asked);
  }

  function onKey(event) {
    const number = state.chosen,
      rank = state.now.ranking.indexOf(number) + 1,
      rows = [...event.currentTarget.children].filter((row) => row.classList.contains("doc"));
    const at = rows.findIndex((row) => Number(row.dataset.number) === number);
    const by = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (by && event.altKey) {
      if (number === null) return;
      const to = Math.max(
        1,
        Math.min(rank ? rank + by : state.now.ranking.length + 1, state.now.ranking.length + (rank ? 0 : 1)),
      );
      if (to !== rank) act({ kind: "move", document: number, rank: to });
    } else if (by) {
      const row = rows[Math.max(0, Math.min(at + by, rows.length - 1))];
      if (row) choose(Number(row.dataset.number));
    } else if (event.key === "Delete" && rank) {
      act({ kind: "remove", document: number });
    } else if (/^\d$/.test(event.key) && number !== null && !event.ctrlKey && !event.metaKey && !event.altKey) {
      act({ kind: "grade", document: number, grade: Number(event.key) });
    } else return;
    event.preventDefault();
    event.currentTarget.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  const work = el(
    "div.what-if-lists",
    el("h3", run),
    el("div.list-scroll", list),
    more,
    el("h3", "Not in the ranking"),
    el("div.list-scroll.low", others),
    el(
      "form.tools",
      {
        onsubmit: (event) => {
          event.preventDefault();
          const id = event.target.elements[0].value.trim();
          if (id && !state.documents.includes(id)) app.go("what-if", here({ add: [...added, id] }));
        },
      },
      el("label", "Another document ", el("input", { type: "text", placeholder: "its id" })),
      el("button", { type: "submit" }, "Add"),
    ),
  );
  work.addEventListener("click", (event) => {
    const row = event.target.closest(".doc");
    if (row) choose(Number(row.dataset.number));
  });
  for (const box of [list, others]) box.addEventListener("keydown", onKey);
  place.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.matches("input")) return;
    event.preventDefault();
    event.shiftKey ? step(state.undone, state.edits) : step(state.edits, state.undone);
  });
  draggable(work, list, ROW_HEIGHT, (document, rank) => act({ kind: "move", document, rank }));
  const fresh = (changes) =>
    app.go("what-if", { topic, run, measures: parameters.get("measures") ?? undefined, ...changes });
  place.replaceChildren(
    el(
      "div.toolbar",
      topicSteps(app.session.topics, topic, (name) => fresh({ topic: name })),
      runChooser("Run", app.session.runs, run, (name) => fresh({ run: name })),
      measureInput({
        chosen: given.measures,
        onChange: (texts) =>
          app.go("what-if", here({ measures: texts.join(" "), by: texts.includes(state.by) ? state.by : undefined })),
      }),
      el("div.steps", undo, redo, reset),
      el("a.action", { href: address("ranking", { topic, run }) }, "The ranking as it is"),
    ),
    notHere(parameters, app.session) ?? "",
    given.query ? el("p.query", given.query) : "",
    gradeLegend(given.levels),
    status,
    tools,
    el("div.what-if-columns", work, el("div", effects, curves), text.element),
  );
  await update();
}

VIEWS.set("what-if", {
  needs: "rankings",
  title: "What if",
  async show(place, parameters, app) {
    if (live) return showWhatIf(place, parameters, app);
    return place.replaceChildren(
      el(
        "p.empty",
        "A saved page cannot evaluate a changed ranking. This does: ",
        el(
          "code",
          app.session.command.replace(/^rankgauge \w+/, "rankgauge explore") || "rankgauge explore QRELS RUN…",
        ),
      ),
    );
  },
});

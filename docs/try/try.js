// Try rankgauge: a run and judgments as text, their means, one topic explained, and its ranking changed by hand.

import { lectureBoard } from "./board.js";
import { button, change, choose, el, field } from "./dom.js";
import { ROW_HEIGHT, documentRow, gradeLegend } from "./documents.js";
import { draggable } from "./draglist.js";
import { applyEdits, editsText, parseEdits } from "./edits.js";
import { valueTable } from "./effects.js";
import { bytesOf } from "./source.js";
import { sectionOf } from "./tables.js";

const MAX_ROWS = 100,
  OWN = "own"; // the choice of an example that is none
const { examples } = await (await fetch("config.json")).json();
const worker = new Worker("worker.js", { type: "module" }),
  waiting = new Map(); // questions -> how to go on with their answers
let asked = 0;

/** The answer of rankgauge to a question; a message of rankgauge is an error. */
function ask(name, ...values) {
  worker.postMessage([(asked += 1), name, values]);
  return new Promise((resolve, reject) => waiting.set(asked, { resolve, reject }));
}

const state = { example: OWN, topic: null, measure: null, edits: [], chosen: null };
const bar = el("progress", { max: 1, value: 0, "aria-label": "Loading" }),
  stage = el("span"),
  loading = el("div.loading", { role: "status" }, stage, bar),
  problem = el("p.error", { role: "alert" }),
  measures = el("input.measure-text", { type: "text", spellcheck: "false", onchange: () => start() }),
  target = el("input", { type: "text", size: 8, placeholder: "0.3421", onchange: () => search() }),
  tools = el("div.toolbar"),
  notes = el("div"),
  values = el("div.values-place", { "aria-live": "polite" }),
  explanation = el("div"),
  steps = el("div"),
  lecture = el(
    "details.lecture",
    { ontoggle: () => fillLecture() },
    el("summary", "Lecture: rank by rank, in large type"),
    steps,
  ),
  origin = el("div", { "aria-live": "polite" }),
  legend = el("div"),
  list = el("ol.ranked", { role: "listbox", tabindex: 0, "aria-label": "Ranking" }),
  missed = el("ul.missed", {
    role: "listbox",
    tabindex: 0,
    "aria-label": "Judged documents that are not in the ranking",
  }),
  missing = el("div", el("h2", "Judged, not in the ranking"), el("div.list-scroll.low", missed)),
  work = el("div.lists", el("h2", "Ranking"), legend, el("div.list-scroll", list), missing),
  result = el("div.result", { hidden: true }, lecture, values, work, el("div.explanation", origin, explanation));
const given = el("details.given");
const [qrels, run] = [
  ["Judgments", "topic iteration document grade"],
  ["Run", "topic Q0 document rank score tag"],
].map(([name, layout]) => textArea(name, layout));

/** A text to paste, or to drop a file on. */
function textArea(name, layout) {
  const area = el("textarea", { placeholder: `${layout}\n…`, spellcheck: "false", onchange: () => own() });
  const read = async (file) => {
    area.value = await file.text();
    own();
  };
  const box = el(
    "div.field",
    el("label", el("span.name", `${name}: ${layout}`), area),
    el("input", {
      type: "file",
      "aria-label": `A file with the ${name.toLowerCase()}`,
      onchange: ({ target }) => target.files.length && read(target.files[0]),
    }),
  );
  const over = (is) => (event) => {
    event.preventDefault();
    box.classList.toggle("dropping", is);
  };
  box.addEventListener("dragover", over(true));
  box.addEventListener("dragleave", over(false));
  box.addEventListener("drop", (event) => {
    over(false)(event);
    if (event.dataTransfer.files.length) read(event.dataTransfer.files[0]);
  });
  return { area, box };
}

/** Texts that a person has given. */
function own() {
  Object.assign(state, { example: OWN, topic: null, edits: [], chosen: null });
  start();
}

function useExample(name) {
  Object.assign(state, { example: name, topic: null, measure: null, edits: [], chosen: null });
  if (name !== OWN)
    [qrels.area.value, run.area.value, measures.value] = ["qrels", "run", "measures"].map((key) => examples[name][key]);
  start();
}

let turn = 0, // another start makes the answers to earlier ones obsolete
  shown = 0; // the turn whose topic is shown

/** Evaluate the texts, and show a topic. */
async function start() {
  const mine = (turn += 1);
  change(document.documentElement, { "data-ready": null });
  problem.textContent = "";
  notes.replaceChildren();
  if (!qrels.area.value.trim() || !run.area.value.trim()) return finish(false);
  try {
    const loaded = await ask("load", qrels.area.value, run.area.value, measures.value);
    if (mine !== turn) return undefined;
    if (!loaded.topics.includes(state.topic))
      Object.assign(state, { topic: loaded.topics[0], edits: [], chosen: null });
    if (!loaded.measures.includes(state.measure)) state.measure = loaded.measures[0];
    const before = await ask("topic", state.topic, state.measure, measures.value);
    if (mine !== turn) return undefined;
    Object.assign(state, { loaded, before });
    shown = turn;
    notes.replaceChildren(...loaded.notes.map((note) => el("p.note", note)));
    await update();
    return mine === turn && !result.hidden && search();
  } catch (error) {
    return mine === turn && fail(error);
  }
}

/** Show what gives the number that somebody printed, if there is one. */
async function search() {
  const mine = turn,
    number = target.value.trim();
  change(document.documentElement, { "data-ready": null });
  problem.textContent = "";
  origin.replaceChildren();
  try {
    await remember();
    const found = number && (await ask("target", number, state.measure));
    if (found && mine === turn && number === target.value.trim())
      origin.replaceChildren(el("h2", found.title), ...found.sections.map(sectionOf));
  } catch (error) {
    problem.textContent = error.message;
  }
  document.documentElement.setAttribute("data-ready", "");
}

function fail(error) {
  problem.textContent = error.message;
  finish(false);
}

function finish(good) {
  if (good) problem.textContent = "";
  result.hidden = !good;
  given.open ||= state.example === OWN || !good;
  fillTools();
  document.documentElement.setAttribute("data-ready", "");
}

let busy = false,
  again = false; // whether there was a change while an answer was awaited

/** Show the ranking after all changes at once, and the values when they are known. */
async function update() {
  if (shown !== turn) return undefined; // a start is under way, and updates when it is done
  state.now = applyEdits(state.before, state.edits);
  fillLists();
  change(document.documentElement, { "data-ready": null });
  again = busy;
  if (busy) return undefined;
  busy = true;
  const { before, now } = state,
    mine = turn,
    ranking = state.edits.length ? now.ranking.map((number) => before.documents[number]) : undefined;
  const after = await ask("topic", state.topic, state.measure, measures.value, ranking).catch((error) => error);
  busy = false;
  if (again) return update();
  if (mine !== turn) return undefined;
  if (after instanceof Error) return fail(after);
  values.replaceChildren(valueTable(after, before));
  explanation.replaceChildren(el("h2", `${state.measure} for topic ${state.topic}`), ...after.sections.map(sectionOf));
  await remember();
  finish(true);
  return fillLecture();
}

/** Show what each rank adds, if somebody wants to see it. */
async function fillLecture() {
  const { topic, measure } = state;
  if (!lecture.open || result.hidden) return;
  try {
    steps.replaceChildren(lectureBoard(await ask("steps", topic, measure), state.step ?? 0, (at) => (state.step = at)));
  } catch (error) {
    steps.replaceChildren(el("p.error", error.message));
  }
}

function act(document, rank) {
  if (shown !== turn) return; // the documents may be those of another topic
  state.edits.push({ kind: "move", document, rank });
  state.chosen = document;
  update();
}

function rowOf(number, rank) {
  const { before, chosen } = state,
    was = number < before.retrieved ? number + 1 : null,
    by = was === null ? "new" : was > rank ? `↑${was - rank}` : `↓${rank - was}`;
  return documentRow({
    id: `w${number}`,
    name: before.documents[number],
    rank,
    grade: before.grades[number],
    levels: before.levels,
    "data-number": number,
    "aria-selected": String(chosen === number),
    before: el("span.handle", { title: "Drag to another rank", "aria-hidden": "true" }, "⠿"),
    after: rank !== null && was !== rank && el("span.change", by),
  });
}

function fillLists() {
  const { before, now } = state,
    inside = new Set(now.ranking),
    rows = Math.max(MAX_ROWS, now.ranking.indexOf(state.chosen) + 11);
  list.replaceChildren(...now.ranking.slice(0, rows).map((number, i) => rowOf(number, i + 1)));
  missed.replaceChildren(
    ...[...before.documents.keys()].filter((number) => !inside.has(number)).map((number) => rowOf(number, null)),
  );
  legend.replaceChildren(gradeLegend(before.levels));
  missing.hidden = inside.size === before.documents.length;
  for (const box of [list, missed])
    change(box, { "aria-activedescendant": box.querySelector("[aria-selected=true]")?.id });
}

function onKey(event) {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const { ranking } = state.now,
    rank = ranking.indexOf(state.chosen) + 1;
  if (event.altKey && state.chosen !== null) {
    const to = rank ? Math.max(1, Math.min(rank + by, ranking.length)) : ranking.length + 1;
    if (to !== rank) act(state.chosen, to);
  } else {
    const rows = [...event.currentTarget.querySelectorAll(".doc")],
      at = rows.findIndex((row) => Number(row.dataset.number) === state.chosen),
      row = rows[Math.max(0, Math.min(at + by, rows.length - 1))];
    if (row) state.chosen = Number(row.dataset.number);
    fillLists();
  }
  event.currentTarget.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
}

function undo() {
  state.edits.pop();
  update();
}

function fillTools() {
  const { loaded, edits } = state,
    set = (changes) => {
      Object.assign(state, changes);
      start();
    };
  const titles = Object.entries(examples).map(([name, { title }]) => [name, title]);
  tools.replaceChildren(
    choose("Example", "example", [[OWN, "your own"], ...titles], state.example, useExample),
    field("Measures", measures),
    ...(loaded && !result.hidden
      ? [
          choose(
            "Topic",
            "topic",
            loaded.topics.map((topic) => [topic, topic]),
            state.topic,
            (topic) => set({ topic, edits: [], chosen: null }),
          ),
          choose(
            "Explain",
            "measure",
            loaded.measures.map((text) => [text, text]),
            state.measure,
            (measure) => set({ measure }),
          ),
          field("Find a printed mean", target),
          el(
            "div.steps",
            button("Undo", undo, { disabled: !edits.length, title: "Ctrl+Z" }),
            button("Reset", () => set({ edits: [] }), { disabled: !edits.length }),
            button("Copy link", copyLink),
          ),
        ]
      : []),
  );
}

async function through(stream, data) {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer());
}

/** Put what is shown into the address: an example by its name, other texts compressed. */
async function remember() {
  const { example, topic, measure, edits } = state,
    query = new URLSearchParams({ measures: measures.value, topic, measure });
  if (example !== OWN) query.set("example", example);
  else {
    const packed = await through(new CompressionStream("gzip"), JSON.stringify([qrels.area.value, run.area.value]));
    query.set("data", btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join("")));
  }
  if (target.value.trim()) query.set("target", target.value.trim());
  if (edits.length) query.set("edits", editsText(edits));
  history.replaceState(null, "", `#${query}`);
}

async function copyLink({ target }) {
  await navigator.clipboard.writeText(location.href);
  target.textContent = "Copied";
}

/** Show what the address has, or the first example. */
async function open() {
  const query = new URLSearchParams(location.hash.slice(1)),
    data = query.get("data"),
    name = Object.hasOwn(examples, query.get("example") ?? "") ? query.get("example") : Object.keys(examples)[0];
  const { qrels: q, run: r, measures: m } = examples[name];
  Object.assign(state, {
    example: data ? OWN : name,
    topic: query.get("topic"),
    measure: query.get("measure"),
    edits: parseEdits(query.get("edits")).filter(({ kind }) => kind === "move"), // what this page makes
    chosen: null,
  });
  try {
    [qrels.area.value, run.area.value] = data
      ? JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("gzip"), bytesOf(data))))
      : [q, r];
  } catch {
    turn += 1;
    return fail(new Error("This link is not complete: its data cannot be read."));
  }
  measures.value = query.get("measures") ?? m;
  target.value = query.get("target") ?? "";
  return start();
}

worker.onmessage = ({ data: { id, loading: text, share, failed, ...answer } }) => {
  if (failed) problem.textContent = failed;
  if (text !== undefined) {
    stage.textContent = text;
    bar.value = share;
  }
  loading.hidden = Boolean(failed) || share === 1 || loading.hidden;
  const { resolve, reject } = waiting.get(id) ?? {};
  waiting.delete(id);
  if (resolve) answer.error === undefined ? resolve(answer) : reject(new Error(answer.error));
};
for (const box of [list, missed]) box.addEventListener("keydown", onKey);
work.addEventListener("click", ({ target }) => {
  const row = target.closest(".doc");
  if (row) state.chosen = Number(row.dataset.number);
  if (row) fillLists();
});
draggable(work, list, ROW_HEIGHT, act);
given.append(
  el("summary", "Judgments and run: paste your own, or drop files on them"),
  el("div.files", qrels.box, run.box),
);
document.getElementById("page").append(tools, given, loading, problem, notes, result);
fillTools();
addEventListener("hashchange", open);
addEventListener("keydown", (event) => {
  const isUndo = (event.ctrlKey || event.metaKey) && event.key === "z" && state.edits.length > 0;
  if (!isUndo || event.target.matches?.("input, textarea")) return;
  event.preventDefault();
  undo();
});
await open();

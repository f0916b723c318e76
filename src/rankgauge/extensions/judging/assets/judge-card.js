// One document to judge: its topic, its text, grades by buttons and keys. Only what is shown is decided on.

import { alertOf, button, change, el, field, withModifier } from "./dom.js";
import { nameChooser } from "./choosers.js";
import { markedText } from "./documents.js";
import { send } from "./source.js";
import { changed, remember } from "./views.js";

let onJudgeKey = null; // of the card that is shown
addEventListener("keydown", (event) => onJudgeKey?.(event));

/** An id in an address, which cannot hold every text: escaped as in JSON. */
export function idInAddress(id) {
  return JSON.stringify(id).slice(1, -1);
}

/** The id of an address; as it is if it was not escaped. */
export function idOfAddress(text) {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}

/** A grade for people: what was given, or that the document was skipped. */
export function gradeName(grade) {
  return grade === null ? "skipped" : `grade ${grade}`;
}

/** The labels of models, for people; empty if there are none to show. */
function labelNames(labels) {
  return Object.entries(labels ?? {})
    .map(([name, grade]) => `${name}: ${gradeName(grade)}.`)
    .join(" ");
}

/** The document of `state.task`, and those that follow; `choices` are sent with each decision. */
export function judgeCard(state, choices, queries = new Map()) {
  let { task } = state,
    busy = false;
  const status = el("p.unseen", { role: "status", "aria-live": "polite" }),
    problem = alertOf(""),
    known = el("p.known.hint"),
    finished = el("p.finished.empty"),
    progress = el("progress", { max: 1, value: 0, "aria-label": "Documents decided" }),
    counts = el("span.counts"),
    topic = el("div.topic"),
    doc = el("article", { tabindex: -1 }),
    before = el("p.before.hint"),
    labels = el("p.labels.hint"),
    comment = el("textarea", { rows: 2, maxlength: 10000, "aria-keyshortcuts": "c" }),
    noted = field("Comment, kept with the decision that follows", comment);
  const names = state.topics.map(([name]) => name),
    about = new Map(); // progress and queries, by which topics are found
  const chooser = nameChooser("Topic", names, "", (name) => move({ topic: name }), about),
    topicInput = chooser.querySelector("input");
  const showCounts = ([name, done, total]) => about.set(name, `${done} of ${total} ${queries.get(name) ?? ""}`.trim());
  state.topics.forEach(showCounts);

  const keyed = (text, key, name, click) =>
    button(text, click, { "aria-label": name, "aria-keyshortcuts": key, title: key ? `${name} (key ${key})` : name });
  const keyOfGrade = (grade) => (/^\d$/.test(String(grade)) ? String(grade) : null);
  const grades = state.grades.map((grade, i) => {
    const label = state.labels[i],
      name = `Grade ${grade}${label && `: ${label}`}`;
    const content = [String(grade), label && el("small", label)];
    return { grade, control: keyed(content, keyOfGrade(grade), name, () => decide(grade)) };
  });
  const skip = keyed("Skip", "s", "Skip this document", () => decide(null)),
    back = keyed("Back", "b", "Back to the document before", () => goBack()),
    undo = keyed("Undo", "u", "Undo the last decision", () => takeBack()),
    next = keyed("Next undecided", "n", "Next undecided document", () => move({ topic: task.topic?.name }));
  const digits = state.grades.filter(keyOfGrade);
  const others = Object.entries({ s: "skip", b: "back", u: "undo", c: "comment", n: "next undecided" }),
    ofGrades = digits.length > 2 ? `${digits[0]}–${digits.at(-1)}` : digits.join(" "),
    keys = digits.length ? [[ofGrades, "grade"], ...others] : others;
  const controls = grades.map(({ control }) => control);
  const bar = el(
    "div.bar",
    el("div.grades", { role: "group", "aria-label": "Grade" }, controls),
    el("div.others", { role: "group", "aria-label": "Other actions" }, skip, back, undo, next),
  );
  const rubricText = [el("summary", "Rubric"), el("p.text", state.rubric)],
    rubric = state.rubric && el("details.rubric", { open: true }, rubricText),
    help = keys.map(([key, what]) => el("span", el("kbd", key), ` ${what}`));
  const card = el(
    "div.card",
    el("div.progress", chooser, counts, progress),
    status,
    problem,
    known,
    finished,
    el("div.material", topic, doc),
    el("div.side", bar, rubric, before, labels, noted, el("p.keys", help)),
  );

  /** Show a task, and say what happened. */
  function update(shown, message) {
    task = shown;
    problem.textContent = task.problem; // stays as long as nothing can be recorded
    known.textContent = task.known;
    if (task.topic && !names.includes(task.topic.name)) names.push(task.topic.name); // of another batch
    const { document: found, decision, last, done, total } = task;
    change(progress, { max: Math.max(total, 1), value: done });
    counts.textContent = `${done} of ${total} decided`;
    for (const each of [topic, doc, before, noted]) each.hidden = !found;
    labels.textContent = labelNames(task.labels);
    for (const each of [...controls, skip, comment]) each.disabled = !found;
    finished.hidden = Boolean(found);
    next.hidden = !found || !decision;
    back.disabled = !task.back;
    undo.disabled = !last;
    undo.title = last ? `Take back: ${last.name}, ${gradeName(last.grade)} (key u)` : "Nothing to take back";
    if (found) showDocument(task);
    else
      finished.textContent = total
        ? `All ${total} documents are decided.${task.known ? "" : " A deeper pool has more."}`
        : "There is nothing to judge: the pool has no document without a judgment. A deeper pool may have some.";
    const name = found && `Document ${found.name}${found.title && `: ${found.title}`}, topic ${task.topic.name}`;
    const words = found ? `${name}, ${done} of ${total} decided.` : finished.textContent;
    status.textContent = [message, words].filter(Boolean).join(" ");
    if (found && card.isConnected && card.getBoundingClientRect().top < 0) card.scrollIntoView({ block: "start" });
  }

  /** Show the topic, the document, and what the assessor decided on it before. */
  function showDocument({ topic: { name, title, text }, document: found, decision }) {
    topicInput.blur();
    topicInput.value = name;
    const more = title && text && el("p.text", text);
    const query = title || text;
    topic.replaceChildren(el("div", query && el("p.id", `Topic ${name}`), el("h2", query || `Topic ${name}`), more));
    const none =
      found.text === null
        ? "There is no text of this document. The option --documents names a file of texts."
        : "This document is empty.";
    change(doc, { "aria-label": `Document ${found.name}` });
    const content = [
      el("h3", markedText(found.marked[0]) ?? found.name),
      found.title && el("p.id", found.name),
      found.text ? el("p.text", markedText(found.marked[1])) : el("p.hint", found.problem || none),
      found.cut > 0 && el("p.hint", `${found.cut} further characters are not shown.`),
    ];
    doc.replaceChildren(el("div", content));
    const when = decision?.time.replace("T", " ").replace("Z", " UTC");
    before.textContent = decision
      ? `You decided before: ${gradeName(decision.grade)}, ${when}. Another decision replaces it.`
      : "";
    for (const { grade, control } of [...grades, { grade: null, control: skip }])
      change(control, { "aria-pressed": String(Boolean(decision) && decision.grade === grade) });
    comment.value = decision?.comment ?? "";
  }

  /** Do one thing at a time: a key that is pressed meanwhile would decide on a document that nobody has seen. */
  async function alone(work) {
    if (busy) return;
    busy = true;
    change(card, { "aria-busy": "true" });
    problem.textContent = "";
    try {
      await work();
    } catch (error) {
      problem.textContent = error.message;
    } finally {
      busy = false;
      change(card, { "aria-busy": null });
    }
  }

  const rememberPlace = (name, id, options) => {
    const document = id === undefined ? undefined : idInAddress(id);
    if (card.isConnected) remember(changed({ topic: name, document }), options);
  };

  const decide = (grade) =>
    alone(async () => {
      if (!task.document) return;
      const { topic: name, id } = task.document;
      const decision = { topic: name, document: id, grade, comment: comment.value };
      const answer = await send("POST", "judge-decide", { ...choices, ...decision });
      showCounts(answer.progress);
      dispatchEvent(new CustomEvent("judged", { detail: answer.decisions }));
      const given = labelNames(answer.labels);
      update(answer.task, `Recorded: ${gradeName(answer.recorded.grade)}. ${given}`);
      if (given && !labels.textContent)
        labels.textContent = `${answer.recorded.name}, which you gave ${gradeName(answer.recorded.grade)}: ${given}`;
      rememberPlace(task.topic?.name);
    });

  const takeBack = () =>
    alone(async () => {
      if (!task.last) return;
      const answer = await send("POST", "judge-undo", choices);
      showCounts(answer.progress);
      dispatchEvent(new CustomEvent("judged", { detail: answer.decisions }));
      update(answer.task, `Taken back: ${gradeName(answer.undone.grade)}.`);
      rememberPlace(answer.undone.topic, answer.undone.id);
    });

  const move = ({ topic: name, document }) =>
    alone(async () => {
      const answer = await send("GET", "judge", { ...choices, topic: name, document });
      update(answer.task);
      rememberPlace(name, document, { replace: false });
    });

  const goBack = () => task.back && move({ topic: task.back.topic, document: task.back.id });

  onJudgeKey = (event) => {
    if (!card.isConnected || withModifier(event) || event.repeat || event.isComposing) return;
    if (event.target.closest?.("input:not([type=checkbox]), textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const known = grades.find(({ grade }) => String(grade) === event.key);
    const actions = {
      s: () => decide(null),
      b: goBack,
      u: takeBack,
      c: () => comment.focus(),
      n: () => task.decision && move({ topic: task.topic?.name }),
    };
    const work = known ? () => decide(known.grade) : Object.hasOwn(actions, event.key) ? actions[event.key] : null;
    if (!work) return;
    event.preventDefault();
    work();
  };

  update(task);
  return card;
}

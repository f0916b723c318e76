// One document to judge: its topic, its text, grades by buttons and keys. Nothing is decided on a document that is not shown.

import { el, field } from "./dom.js";
import { send } from "./source.js";
import { address, remember } from "./views.js";

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

/** The document of `state.task`, and those that follow; `choices` are the parameters of the address. */
export function judgeCard(state, choices) {
  let { task } = state,
    busy = false;
  const status = el("p.unseen", { role: "status", "aria-live": "polite" });
  const problem = el("p.error", { role: "alert" });
  const progress = el("progress", { max: 1, value: 0, "aria-label": "Documents decided" });
  const counts = el("span.counts");
  const topic = el("div.topic");
  const doc = el("article", { tabIndex: -1 });
  const before = el("p.before.hint");
  const comment = el("textarea", { rows: 2, maxLength: 10000, "aria-keyshortcuts": "c" });
  const chooser = el("select", {
    "aria-label": "Topic",
    onchange: () => {
      chooser.blur();
      move({ topic: chooser.value });
    },
  });
  const options = new Map(state.topics.map(([name]) => [name, el("option", { value: name })]));
  chooser.append(...options.values());
  const showCounts = ([name, done, total]) => {
    if (options.has(name)) options.get(name).textContent = `${name} (${done} of ${total})`;
  };
  state.topics.forEach(showCounts);

  const button = (text, key, name, click) =>
    el(
      "button",
      {
        "aria-label": name,
        "aria-keyshortcuts": key,
        title: key ? `${name} (key ${key})` : name,
        onclick: click,
      },
      text,
    );
  const grades = state.grades.map((grade) => [
    grade,
    button(String(grade), /^\d$/.test(String(grade)) ? String(grade) : null, `Grade ${grade}`, () => decide(grade)),
  ]);
  const skip = button("Skip", "s", "Skip this document", () => decide(null));
  const back = button("Back", "b", "Back to the document before", () => goBack());
  const undo = button("Undo", "u", "Take the last decision back", () => takeBack());
  const next = button("Next undecided", "n", "Next undecided document", () => move({ topic: task.topic?.name }));
  const digits = grades.map(([grade]) => grade).filter((grade) => /^\d$/.test(String(grade)));
  const keys = [
    ...(digits.length ? [[digits.length > 2 ? `${digits[0]}–${digits.at(-1)}` : digits.join(" "), "grade"]] : []),
    ["s", "skip"],
    ["b", "back"],
    ["u", "undo"],
    ["c", "comment"],
    ["n", "next undecided"],
  ];
  const help = el("p.keys", keys.map(([key, what]) => el("span", el("kbd", key), ` ${what}`)));
  const bar = el(
    "div.bar",
    el("div.grades", { role: "group", "aria-label": "Grade" }, grades.map(([, each]) => each)),
    el("div.others", { role: "group", "aria-label": "Other actions" }, skip, back, undo, next),
  );
  const noted = field("Comment, kept with the decision that follows", comment);
  const finished = el("p.finished.empty");
  const card = el(
    "div.card",
    el("div.progress", chooser, counts, progress),
    status,
    problem,
    finished,
    el("div.material", topic, doc),
    el("div.side", bar, before, noted, help),
  );

  /** Show a task, and say what happened. */
  function update(shown, message) {
    task = shown;
    const { document: found } = task;
    progress.max = Math.max(task.total, 1);
    progress.value = task.done;
    counts.textContent = `${task.done} of ${task.total} decided`;
    for (const each of [topic, doc, before, noted]) each.hidden = !found;
    finished.hidden = Boolean(found);
    back.disabled = !task.back;
    undo.disabled = !task.last;
    undo.title = task.last
      ? `Take back: ${task.last.name}, ${gradeName(task.last.grade)} (key u)`
      : "Nothing to take back";
    for (const each of [...grades.map(([, each]) => each), skip, comment]) each.disabled = !found;
    next.hidden = !found || !task.decision;
    if (!found) {
      finished.textContent = task.total
        ? `All ${task.total} documents are decided. A deeper pool has more.`
        : "There is nothing to judge: the pool has no document without a judgment. A deeper pool may have some.";
      status.textContent = [message, finished.textContent].filter(Boolean).join(" ");
      return;
    }
    chooser.value = task.topic.name;
    const { title, text } = task.topic;
    topic.replaceChildren(
      el(
        "div",
        el("p.id", `Topic ${task.topic.name}`),
        (title || text) && el("h2", title || text),
        title && text && el("p.text", text),
      ),
    );
    doc.setAttribute("aria-label", `Document ${found.name}`);
    doc.replaceChildren(
      el(
        "div",
        el("h3", found.title || found.name),
        found.title && el("p.id", found.name),
        found.text
          ? el("p.text", found.text)
          : el(
              "p.hint",
              found.problem ||
                (found.text === null
                  ? "There is no text of this document. The option --documents names a file of texts."
                  : "This document is empty."),
            ),
        found.cut > 0 && el("p.hint", `${found.cut} further characters are not shown.`),
      ),
    );
    const { decision } = task;
    before.textContent = decision
      ? `You decided before: ${gradeName(decision.grade)}, ${decision.time.replace("T", " ").replace("Z", " UTC")}. Another decision replaces it.`
      : "";
    for (const [grade, each] of grades)
      each.setAttribute("aria-pressed", String(Boolean(decision) && decision.grade === grade));
    skip.setAttribute("aria-pressed", String(Boolean(decision) && decision.grade === null));
    comment.value = decision?.comment ?? "";
    status.textContent = [
      message,
      `Document ${found.name}${found.title && `: ${found.title}`}, topic ${task.topic.name}, ${task.done} of ${task.total} decided.`,
    ]
      .filter(Boolean)
      .join(" ");
    if (card.isConnected && card.getBoundingClientRect().top < 0) card.scrollIntoView({ block: "start" });
  }

  /** Do one thing at a time: a key that is pressed meanwhile would decide on a document that nobody has seen. */
  async function alone(work) {
    if (busy) return;
    busy = true;
    card.setAttribute("aria-busy", "true");
    problem.textContent = "";
    try {
      await work();
    } catch (error) {
      problem.textContent =
        error instanceof TypeError
          ? "The server does not answer, so this may not be recorded. Is `rankgauge explore` still running?"
          : error.message;
    } finally {
      busy = false;
      card.removeAttribute("aria-busy");
    }
  }

  const here = (place) => address("judge", { ...choices, ...place });
  const plain = () => remember(here({ topic: task.topic?.name, document: undefined }));

  const decide = (grade) =>
    alone(async () => {
      if (!task.document) return;
      const { topic: name, id } = task.document;
      const answer = await send("POST", "judge-decide", {
        ...choices,
        topic: name,
        document: id,
        grade,
        comment: comment.value,
      });
      showCounts(answer.progress);
      update(answer.task, `Recorded: ${gradeName(answer.recorded.grade)}.`);
      plain();
    });

  const takeBack = () =>
    alone(async () => {
      if (!task.last) return;
      const answer = await send("POST", "judge-undo", choices);
      showCounts(answer.progress);
      update(answer.task, `Taken back: ${gradeName(answer.undone.grade)}.`);
      remember(here({ topic: answer.undone.topic, document: idInAddress(answer.undone.id) }));
    });

  const move = (place) =>
    alone(async () => {
      const answer = await send("GET", "judge", { ...choices, ...place });
      update(answer.task);
      remember(
        here({ topic: place.topic, document: place.document === undefined ? undefined : idInAddress(place.document) }),
        { replace: false },
      );
    });

  const goBack = () => task.back && move({ topic: task.back.topic, document: task.back.id });

  onJudgeKey = (event) => {
    if (!card.isConnected || event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing)
      return;
    if (event.target.closest?.("input, textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const grade = grades.find(([each]) => String(each) === event.key);
    const actions = {
      s: () => decide(null),
      b: goBack,
      u: takeBack,
      c: () => comment.focus(),
      n: () => task.decision && move({ topic: task.topic?.name }),
    };
    const work = grade ? () => decide(grade[0]) : Object.hasOwn(actions, event.key) ? actions[event.key] : null;
    if (!work) return;
    event.preventDefault();
    work();
  };

  update(task);
  return card;
}

// Grading in Ranking: a document without a judgment from the start takes a grade where it stands.

import { alertOf, button, el, field, submitButton, withModifier } from "./dom.js";
import { beside } from "./documents.js";
import { send } from "./source.js";
import { VIEWS, address, changed, current, remember } from "./views.js";

let onDigit = null; // of the document whose text is shown
addEventListener("keydown", (event) => onDigit?.(event));

/** Change the address, and show its view anew. */
function restate(changes) {
  remember(changed(changes), { replace: false });
  dispatchEvent(new Event("restated"));
}

/** A form for one text; `take(text)` gets what was typed. */
export function textForm(label, action, attributes, take) {
  const input = el("input", { type: "text", required: true, autocomplete: "off", ...attributes }),
    problem = alertOf("");
  const onsubmit = async (event) => {
    event.preventDefault();
    if (input.value.trim())
      await Promise.resolve(take(input.value.trim())).catch(({ message }) => (problem.textContent = message));
  };
  return el("form.toolbar", { onsubmit }, field(label, input), submitButton(action), problem);
}

/** A form that opens a journal, where the session has none. */
export function startForm() {
  return textForm("File for the decisions", "Start judging", { value: "judgments.jsonl" }, async (file) => {
    dispatchEvent(new CustomEvent("judged", { detail: (await send("POST", "judge-start", { file })).decisions }));
    dispatchEvent(new Event("restated"));
  });
}

beside.push(async (document, topic) => {
  onDigit = null;
  const { view, parameters } = current(),
    assessor = parameters.get("assessor") ?? undefined;
  if (view !== "ranking" || !VIEWS.has("judge")) return [];
  const { journal, grades, isOpen, decision } = await send("GET", "judge-here", { topic, document, assessor });
  if (!isOpen) return [];
  if (!journal) return [el("p.hint", "No one has judged it. Name a file for decisions to grade it:"), startForm()];
  const setName = (name) => restate({ assessor: name });
  if (!assessor) return [textForm("Who judges?", "Grade it", { maxlength: 100, placeholder: "your name" }, setName)];
  const problem = alertOf("");
  const decide = (grade) =>
    send("POST", "judge-here", { topic, document, assessor, grade }).then(
      ({ decisions }) => {
        dispatchEvent(new CustomEvent("judged", { detail: decisions }));
        restate({ new: 1 });
      },
      ({ message }) => (problem.textContent = message),
    );
  const buttonOf = ([grade, label]) => {
    const pressed = { "aria-pressed": String(decision?.grade === grade), "aria-keyshortcuts": grade };
    return button(label ? `${grade} ${label}` : String(grade), () => decide(grade), pressed);
  };
  const place = el("div.row", { role: "group", "aria-label": `Grade by ${assessor}` }, grades.map(buttonOf));
  onDigit = (event) => {
    const known = grades.find(([grade]) => String(grade) === event.key);
    if (!known || !place.isConnected || withModifier(event) || event.repeat) return;
    if (event.target.closest?.("input, textarea, select")) return;
    event.preventDefault();
    decide(known[0]);
  };
  const href = address("judge", { topic, document: JSON.stringify(document).slice(1, -1) });
  return [place, problem, el("p.hint", `Grades by ${assessor}, also by digits. `, el("a", { href }, "All documents"))];
});

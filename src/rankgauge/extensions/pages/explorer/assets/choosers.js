// Finding topics, runs and documents by parts of their names and by words of their texts.

import { button, counted, el, field, withModifier } from "./dom.js";
import { chip } from "./runs.js";
import { ask, has } from "./source.js";
import { MAX_COMPARED, read } from "./views.js";

const SUGGESTED = 50;
export const ORDER_NAMES = {
  hardest: "hardest first",
  easiest: "easiest first",
  spread: "runs differ most",
  difference: "largest losses first",
  topic: "name",
};
let choosers = 0,
  sortedTopics = null; // in the order of the table of Topics as it was left

/** Whether some text has all words of another. */
export function matcher(words) {
  const parts = words.toLowerCase().split(/\s+/);
  return (text) => parts.every((part) => text.toLowerCase().includes(part));
}

/** The names that have all of some words, or whose texts have them. */
export function found(names, words, texts = new Map()) {
  const matches = matcher(words);
  return names.filter((name) => matches(`${name} ${texts.get(name) ?? ""}`));
}

/** An input for words to find; `onFind(text)` is called with every change. */
export function finder(label, text, placeholder, onFind) {
  const onInput = ({ target }) => onFind(target.value),
    attributes = { type: "search", value: text, placeholder, "data-key": `find ${label}`, oninput: onInput };
  return field(label, el("input", attributes));
}

/** An input that finds a name by part of it, or by words of its text in `texts`: `onChange(name)`. */
export function nameChooser(label, names, chosen, onChange, texts = new Map()) {
  const list = el("datalist", { id: `names-${(choosers += 1)}` });
  const suggest = () => {
    input.setCustomValidity("");
    const some = found(names, input.value === chosen ? "" : input.value, texts).slice(0, SUGGESTED);
    list.replaceChildren(...some.map((name) => el("option", { value: name }, texts.get(name))));
  };
  const take = () => {
    const { value } = input,
      named = names.includes(value) || value === chosen ? [value] : found(names, value, texts),
      [name] = named;
    const several = `${named.length} names match: choose one, or type more.`;
    input.setCustomValidity(named.length === 1 ? "" : named.length ? several : "There is no such name.");
    if (!input.reportValidity() || name === chosen) return;
    input.value = chosen && name; // none, where more are added
    onChange(name);
  };
  const placeholder = texts.size ? "name or words" : "name",
    typed = { type: "text", value: chosen, list: list.id, autocomplete: "off", spellcheck: "false", placeholder },
    input = el("input", { ...typed, "data-key": label, onfocus: suggest, oninput: suggest, onchange: take });
  return field(label, el("span", input, list));
}

/** Keep the order of topics in a table that people sort. */
export function keepOrder(topics) {
  sortedTopics = topics;
}

/**
 * {topics, of, order}: the topics with the words of the address, in the order of the view of topics or, without
 * judgments, the least similar rankings first; and words for both.
 */
export async function topicsInOrder(parameters, { session, state }) {
  const { find, order: chosen } = read(parameters, "find", "order"),
    order = session.judged ? chosen : "alike",
    [against, run] = state.pair,
    ofPair = (order === "difference" || order === "alike") && { run, against },
    asked = { measure: state.measure, order: order === "hardest" ? undefined : order, ...ofPair };
  if (order === "table" && sortedTopics) return { topics: sortedTopics, order: ", as in the table" };
  const isKnown = order && order !== "table" && has("topic-order", asked),
    topics = isKnown ? (await ask("topic-order", asked)).topics : session.topics;
  return {
    topics: found(topics, find ?? "", session.queries),
    of: find && ` with “${find}”`,
    order: isKnown && `, ${{ ...ORDER_NAMES, alike: "least similar first" }[order]}`,
  };
}

/** Where a topic stands among some of `topicsInOrder`, in words. */
export function placeOf(topic, { topics, of, order }) {
  const place = topics.indexOf(topic) + 1;
  if (place) return `Topic ${place} of ${topics.length}${of || ""}${order || ""}.`;
  return topics.length ? `Not one of ${counted(topics.length, "topic")}${of || ""}.` : `There is no topic${of}.`;
}

/** The topic, with buttons to the previous and the next one of some. */
export function topicSteps(session, topics, topic, onChange) {
  const at = topics.indexOf(topic);
  const step = (by, sign, title) => {
    const name = topics[at + by];
    const attributes = { disabled: name === undefined, "aria-label": title, title, "data-key": title };
    return button(sign, () => onChange(name), attributes);
  };
  return el(
    "div.steps",
    step(-1, "←", "Previous topic"),
    nameChooser("Topic", session.topics, topic, onChange, session.queries),
    step(1, "→", "Next topic"),
  );
}

/** A few runs in an order, which can be removed, and a chooser for more of them. */
export function runColumns(runs, chosen, onChange) {
  const left = runs.filter((name) => !chosen.includes(name)),
    add = (name) => onChange([...chosen, name]);
  const without = (name) => (chosen.length > 1 ? () => onChange(chosen.filter((each) => each !== name)) : null);
  const chips = chosen.map((name) => chip(name, without(name), "column")),
    more = left.length > 0 && chosen.length < MAX_COMPARED && nameChooser("Add a run", left, "", add);
  return el("div.steps", el("ul.chips", { "aria-label": "Runs side by side" }, chips), more);
}

/** A note on the topic and the runs that an address names and there are not; empty if there is nothing like that. */
export function notHere(parameters, session) {
  const { topics, runs } = session;
  const missing = [...parameters]
    .map(([name, each]) => [name === "pair" ? "run" : name, each])
    .filter(([noun, each]) => each && { topic: topics, run: runs }[noun]?.includes(each) === false)
    .map(([noun, each]) => `${noun} ${each}`);
  const text = `There is no ${missing.join(", and no ")} here; the address is of other data.`;
  return missing.length ? el("p.note", { role: "alert" }, text) : "";
}

// The arrow keys lead from topic to topic where nothing else needs them.
addEventListener("keydown", (event) => {
  const step = { ArrowLeft: "Previous topic", ArrowRight: "Next topic" }[event.key];
  const taken = withModifier(event) || event.target.closest?.("input, select, textarea, .scroll");
  if (step && !taken) document.querySelector(`.view.ranking [data-key="${step}"]`)?.click();
});

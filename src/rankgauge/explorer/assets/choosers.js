// Choosing topics and runs by name, and those of an address.

import { button, el, field } from "./dom.js";
import { chip } from "./runs.js";

const SUGGESTED = 50;
let choosers = 0;

/** An input that finds a name by part of it; `onChange(name)` is called with one that there is, or "" if `optional`. */
export function nameChooser(label, names, chosen, onChange, { key = label, optional = false } = {}) {
  const known = new Set(names),
    list = el("datalist", { id: `names-${(choosers += 1)}` });
  const suggest = () => {
    input.setCustomValidity("");
    const text = input.value.toLowerCase(),
      found = names.filter((name) => name.toLowerCase().includes(text)).slice(0, SUGGESTED);
    list.replaceChildren(...found.map((name) => el("option", { value: name })));
  };
  const take = () => {
    const name = input.value,
      unknown = name && !known.has(name);
    input.setCustomValidity(unknown ? "There is no such name." : "");
    input.reportValidity();
    if (unknown || name === chosen || !(name || optional)) return;
    if (!chosen) input.value = "";
    onChange(name);
  };
  const input = el("input", {
    type: "text",
    value: chosen,
    list: list.id,
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "name",
    "data-key": key,
    onfocus: suggest,
    oninput: suggest,
    onchange: take,
  });
  return field(label, el("span", input, list));
}

/** The topic, with buttons to the previous and the next one. */
export function topicSteps(topics, topic, onChange) {
  const at = topics.indexOf(topic);
  const step = (by, sign, title) => {
    const name = topics[at + by];
    const attributes = { disabled: name === undefined, "aria-label": title, title, "data-key": title };
    return button(sign, () => onChange(name), attributes);
  };
  return el(
    "div.steps",
    step(-1, "←", "Previous topic"),
    nameChooser("Topic", topics, topic, onChange),
    step(1, "→", "Next topic"),
  );
}

/** A few runs in an order, which can be removed, and a chooser for more of them. */
export function runColumns(runs, chosen, most, onChange) {
  const left = runs.filter((name) => !chosen.includes(name)),
    add = (name) => onChange([...chosen, name]);
  const without = (name) => (chosen.length > 1 ? () => onChange(chosen.filter((each) => each !== name)) : null);
  return el(
    "div.steps",
    el("ul.chips", { "aria-label": "Runs side by side" }, chosen.map((name) => chip(name, without(name), "column"))),
    left.length > 0 && chosen.length < most && nameChooser("Add a run", left, "", add),
  );
}

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

/** A note on the topic and the runs that an address names and there are not; empty if there is nothing like that. */
export function notHere(parameters, session) {
  const { topics, runs } = session;
  const missing = [...parameters]
    .filter(([name, each]) => (name === "topic" && !topics.includes(each)) || (name === "run" && !runs.includes(each)))
    .map(([name, each]) => `${name} ${each}`);
  const text = `There is no ${missing.join(", and no ")} here; the address is of other data.`;
  return missing.length ? el("p.note", { role: "alert" }, text) : "";
}

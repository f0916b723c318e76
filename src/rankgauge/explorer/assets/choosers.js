// Choosing runs and topics by typing a part of their names.

import { el } from "./dom.js";

let inputs = 0;

/** A labelled input that completes names; `choose` is called with one of them. */
export function nameInput(label, names, value, choose) {
  const id = `names-${(inputs += 1)}`;
  const input = el("input", { type: "text", value, "data-key": `input ${label}`, spellcheck: false, autocomplete: "off", on: {
    change() {
      const typed = input.value.trim();
      const found = names.includes(typed) ? typed : names.find((name) => name.toLowerCase().includes(typed.toLowerCase()));
      if (found !== undefined && typed) choose(found);
      else input.value = value;
    },
    focus: () => input.select(),
  } });
  input.setAttribute("list", id);
  return el("label", { className: "chooser" }, el("span", {}, label), input, el("datalist", { id }, names.map((name) => el("option", { value: name }))));
}

/** The topic, with buttons to the previous and the next one. */
export function topicSteps(topics, topic, choose) {
  const at = topics.indexOf(topic);
  const step = (by, sign, title) => el("button", { type: "button", disabled: topics[at + by] === undefined, "aria-label": title, title, "data-key": title, on: { click: () => choose(topics[at + by]) } }, sign);
  return el("div", { className: "choosers" }, step(-1, "←", "Previous topic"), nameInput("Topic", topics, topic, choose), step(1, "→", "Next topic"));
}

/** Chosen names, which can be removed, and an input for more of them. */
export function severalChooser(label, names, chosen, most, choose) {
  const chips = chosen.map((name) => el("li", {}, name, chosen.length > 1 && el("button", { type: "button", "aria-label": `Remove ${name}`, on: { click: () => choose(chosen.filter((each) => each !== name)) } }, "×")));
  const left = names.filter((name) => !chosen.includes(name));
  return el("div", { className: "choosers several" },
    el("ul", { className: "chosen", "aria-label": label }, chips),
    left.length > 0 && chosen.length < most && nameInput(`Add ${label.toLowerCase()}`, left, "", (name) => choose([...chosen, name])));
}

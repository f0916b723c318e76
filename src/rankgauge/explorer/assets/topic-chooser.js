// Choosing a topic by its name.

import { el, field } from "./dom.js";

let choosers = 0;

/** An input that finds a topic by part of its name; `onChange(name)` is called with one that there is. */
export function topicChooser({ key = "topic", label = "Topic", topics, chosen = "", onChange }) {
  const id = `topics-${(choosers += 1)}`,
    known = new Set(topics);
  const list = el("datalist", { id });
  const fill = () => {
    const text = input.value.toLowerCase();
    const found = [];
    for (const name of topics) {
      if (name.toLowerCase().includes(text)) found.push(name);
      if (found.length === 50) break;
    }
    list.replaceChildren(...found.map((name) => el("option", { value: name })));
  };
  const take = () => {
    const unknown = input.value && !known.has(input.value);
    input.setCustomValidity(unknown ? "No topic has this name." : "");
    input.reportValidity();
    if (!unknown && input.value !== chosen) onChange(input.value);
  };
  const input = el("input", {
    type: "text",
    value: chosen,
    autocomplete: "off",
    spellcheck: false,
    placeholder: "name",
    "data-key": key,
    onfocus: () => fill(),
    oninput: () => {
      input.setCustomValidity("");
      fill();
    },
    onchange: take,
  });
  input.setAttribute("list", id);
  return field(label, el("span", input, list));
}

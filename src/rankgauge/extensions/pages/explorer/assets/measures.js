// Typing measures: completion, help, and what is wrong.

import { change, choose, el } from "./dom.js";
import { ask, live } from "./source.js";
import { chip } from "./runs.js";
import { tip } from "./tips.js";

let lists = 0;

/**
 * An input of measures. `chosen` are {text, label, title}; `onChange(texts)` is called with every change.
 * With `single`, a new measure takes the place of the old one.
 */
export function measureInput({ key = "measures", label = "Measures", chosen, onChange, single = false }) {
  const id = `${key}-list-${(lists += 1)}`;
  const texts = chosen.map(({ text }) => text);
  const hidden = { role: "listbox", "aria-label": "Suggestions", tabindex: -1, hidden: true }, // no stop of the tab key
    list = el("ul.options", { id, ...hidden });
  const message = el("p.message", { role: "status", hidden: true });
  let suggestions = [],
    active = -1,
    turn = 0;
  const say = (text, bad = false) => {
    message.hidden = !text;
    message.classList.toggle("error", bad);
    message.textContent = text;
  };
  const mark = (place) => {
    active = place;
    [...list.children].forEach((option, i) => change(option, { "aria-selected": String(i === active) }));
    change(input, { "aria-activedescendant": list.children[active]?.id });
    list.children[active]?.scrollIntoView({ block: "nearest" });
  };
  const open = (isOpen) => {
    list.hidden = !isOpen;
    change(input, { "aria-expanded": String(isOpen) });
    mark(-1);
  };
  const take = (place) => {
    input.value = suggestions[place].text;
    input.focus();
    return complete();
  };
  const optionOf = ({ name, title }, i) => {
    const onpointerdown = (event) => {
      event.preventDefault();
      take(i);
    };
    const attributes = { id: `${id}-${i}`, role: "option", "aria-selected": "false", onpointerdown };
    return el("li", attributes, el("b", name), el("span", title));
  };
  /** What the text names and may become; the error if nobody answers. */
  const read = () =>
    ask("measures", { text: input.value }).catch(({ message: error }) => ({ measures: [], suggestions: [], error }));
  async function complete() {
    const mine = (turn += 1);
    const answer = await read();
    if (mine !== turn || !input.isConnected) return;
    suggestions = answer.suggestions.filter(({ text }) => text !== input.value);
    list.replaceChildren(...suggestions.map(optionOf));
    open(suggestions.length > 0);
    const typed = answer.measures.at(-1);
    say(typed && typed.title ? `${typed.label}: ${typed.title}. ${typed.help}` : "");
  }
  async function add() {
    if (!input.value.trim()) return;
    turn += 1; // suggestions that come later are not wanted
    const answer = await read();
    open(false);
    if (answer.error) return say(answer.error, true);
    const added = answer.measures.map(({ text }) => text);
    input.value = "";
    onChange(single ? added.slice(0, 1) : [...new Set([...texts, ...added])]);
  }
  /** Do what a key says; whether there was anything to do. */
  function press(pressed) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[pressed];
    if (pressed === "Enter") active >= 0 ? take(active) : add();
    else if (pressed === "Tab" && active >= 0 && !list.hidden) take(active);
    else if (step && !list.hidden) {
      const from = active < 0 && step < 0 ? 0 : active;
      mark((from + step + suggestions.length) % suggestions.length);
    } else return false;
    return true;
  }
  const input = el("input", {
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: single ? "another measure" : "add, such as nDCG@10",
    "data-key": `${key} input`,
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": id,
    "aria-label": single ? label : `Add ${label.toLowerCase()}`,
    oninput: complete,
    onfocus: complete,
    onblur: () => {
      open(false);
      if (!message.classList.contains("error")) say("");
    },
    onkeydown: (event) => {
      if (event.key === "Escape") open(false);
      if (press(event.key)) event.preventDefault();
      if (event.key === "Backspace" && !input.value && texts.length > 1 && !single) onChange(texts.slice(0, -1));
    },
  });
  const remove = (text) => () => onChange(texts.filter((each) => each !== text));
  const removable = !single && texts.length > 1 && live;
  const chips = chosen.map(({ text, label: name, title, help }) =>
    tip(chip(name ?? text, removable ? remove(text) : null, key), () => [text, title, help]),
  );
  return el(
    "div.field.measures",
    { role: "group", "aria-label": label },
    el("span.name", label),
    el(
      "div.box",
      el("ul.chips", { "aria-label": `Chosen ${label.toLowerCase()}` }, chips),
      live && el("div.combo", input, list),
    ),
    message,
  );
}

/** The measure of a view that shows one; a saved page has those that it holds. */
export function measureChoice(held, measure, onChange) {
  const [key, label] = ["measure", "Measure"];
  return live
    ? measureInput({ key, label, single: true, chosen: [measure], onChange: ([text]) => onChange(text) })
    : choose(label, key, held, measure.text, onChange);
}

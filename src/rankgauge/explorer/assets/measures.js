// Typing measures: completion, help, and what is wrong.

import { el } from "./dom.js";
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
  const list = el("ul.options", { id, role: "listbox", "aria-label": "Suggestions", hidden: true });
  const message = el("p.message", { role: "status", hidden: true });
  const input = el("input", {
    type: "text",
    autocomplete: "off",
    spellcheck: false,
    placeholder: single ? "another measure" : "add, such as nDCG@10",
    "data-key": `${key} input`,
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": id,
    "aria-label": single ? label : `Add ${label.toLowerCase()}`,
  });
  let suggestions = [],
    active = -1,
    turn = 0;
  const show = (text, bad = false) => {
    message.hidden = !text;
    message.classList.toggle("error", bad);
    message.textContent = text;
  };
  const mark = (place) => {
    active = place;
    [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === active)));
    if (active < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", `${id}-${active}`);
      list.children[active].scrollIntoView({ block: "nearest" });
    }
  };
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    mark(-1);
  };
  const take = (place) => {
    input.value = suggestions[place].text;
    input.focus();
    return complete();
  };
  async function complete() {
    const mine = (turn += 1);
    const answer = await ask("measures", { text: input.value });
    if (mine !== turn || !input.isConnected) return;
    suggestions = answer.suggestions.filter(({ text }) => text !== input.value);
    list.replaceChildren(
      ...suggestions.map(({ name, title }, i) =>
        el(
          "li",
          {
            id: `${id}-${i}`,
            role: "option",
            "aria-selected": "false",
            onpointerdown: (event) => {
              event.preventDefault();
              take(i);
            },
          },
          el("b", name),
          el("span", title),
        ),
      ),
    );
    list.hidden = !suggestions.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    mark(-1);
    const typed = answer.measures.at(-1);
    show(typed && typed.title ? `${typed.text}: ${typed.title}. ${typed.help}` : "");
  }
  async function add() {
    if (!input.value.trim()) return;
    turn += 1; // suggestions that come later are not wanted
    const answer = await ask("measures", { text: input.value });
    if (answer.error) {
      close();
      show(answer.error, true);
      return;
    }
    const added = answer.measures.map(({ text }) => text);
    close();
    input.value = "";
    onChange(single ? added.slice(0, 1) : [...new Set([...texts, ...added])]);
  }
  input.addEventListener("input", complete);
  input.addEventListener("focus", complete);
  input.addEventListener("blur", () => {
    close();
    if (!message.classList.contains("error")) show("");
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter") {
      event.preventDefault();
      active >= 0 ? take(active) : add();
    } else if (event.key === "Tab" && active >= 0 && !list.hidden) {
      event.preventDefault();
      take(active);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !list.hidden) {
      event.preventDefault();
      mark(
        (active +
          (event.key === "ArrowDown" ? 1 : -1) +
          suggestions.length +
          (active < 0 && event.key === "ArrowUp" ? 1 : 0)) %
          suggestions.length,
      );
    } else if (event.key === "Backspace" && !input.value && texts.length > 1 && !single) onChange(texts.slice(0, -1));
  });
  const chips = chosen.map(({ text, label: name, title, help }) =>
    tip(
      chip(
        name ?? text,
        !single && texts.length > 1 && live ? () => onChange(texts.filter((each) => each !== text)) : null,
        key,
      ),
      () => [text, title, help],
    ),
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

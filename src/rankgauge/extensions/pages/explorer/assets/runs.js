// Choosing runs: search, all, none, the best few.

import { button, el } from "./dom.js";

const MAX_LISTED = 200,
  MAX_CHIPS = 12;
const picker = { open: false, text: "", count: 10 }; // of the picker, while addresses change

/**
 * A picker of runs. `chosen` is a list of names, or null for all; `ranked` has the best first; `onChange(changes)` is
 * called with the changed parameters of the address: all runs have none, no runs an empty one.
 */
export function runPicker({ all, chosen, ranked = null, onChange }) {
  const picked = new Set(chosen ?? all);
  const pick = (names) => {
    const kept = all.filter((name) => names.includes(name));
    onChange({ run: kept.length === all.length ? undefined : kept.length ? kept : "", pair: undefined });
  };
  const without = (name) => [...picked].filter((each) => each !== name);
  const list = el("ul.options", { "data-key": "runs list", tabindex: -1 });
  const found = () => all.filter((name) => name.toLowerCase().includes(picker.text.toLowerCase()));
  const optionOf = (name) => {
    const onchange = ({ target }) => pick(target.checked ? [...picked, name] : without(name));
    const box = el("input", { type: "checkbox", checked: picked.has(name), "data-key": `runs ${name}`, onchange });
    return el("li", el("label", box, el("span", name)));
  };
  const fill = () => {
    const names = found(),
      more = names.length - MAX_LISTED;
    list.replaceChildren(...names.slice(0, MAX_LISTED).map(optionOf));
    if (!names.length) list.append(el("li.empty", `No name contains “${picker.text}”.`));
    if (more > 0) list.append(el("li.note", `${more} more: type a part of a name.`));
  };
  const search = el("input", {
    type: "search",
    value: picker.text,
    placeholder: "part of a name",
    "aria-label": "Search runs",
    "data-key": "runs search",
    oninput: () => {
      picker.text = search.value;
      fill();
    },
  });
  const count = el("input", {
    type: "number",
    min: 1,
    max: all.length,
    value: Math.min(picker.count, all.length),
    "aria-label": "Number of best runs",
    "data-key": "runs count",
    oninput: () => (picker.count = Math.max(1, Number(count.value))),
  });
  const picks = (text, names, title) => button(text, () => pick(names()), { title, "data-key": `runs ${text}` });
  const allOrFound = () => (picker.text ? [...picked, ...found()] : all),
    noneOrOthers = () => (picker.text ? [...picked].filter((name) => !found().includes(name)) : []),
    best = () => ranked.slice(0, picker.count);
  if (picker.open) fill(); // there may be hundreds
  const details = el(
    "details.picker",
    {
      open: picker.open,
      ontoggle: () => {
        picker.open = details.open;
        if (details.open && !list.firstChild) fill(); // a list that is there has the focus, perhaps
      },
      onkeydown: (event) => {
        if (event.key !== "Escape" || !details.open) return;
        details.open = false;
        details.querySelector("summary").focus();
      },
    },
    el(
      "summary",
      { "data-key": "runs summary" },
      el("span.name", "Runs"),
      el("span.value", picked.size === all.length ? `all ${all.length}` : `${picked.size} of ${all.length}`),
    ),
    el(
      "div.panel",
      search,
      el(
        "div.row",
        picks("All", allOrFound, "all runs, or all that match the search as well"),
        picks("None", noneOrOthers, "no runs, or none that match the search"),
        ranked && el("span.row", picks("Best", best, "the best runs by the first measure"), count),
      ),
      list,
    ),
  );
  const chips = () => [...picked].map((name) => chip(name, () => pick(without(name)), "runs chip"));
  const few = picked.size < all.length && picked.size <= MAX_CHIPS;
  return el("div.field", details, few && el("ul.chips", { "aria-label": "Chosen runs" }, chips()));
}

addEventListener("pointerdown", (event) => {
  for (const details of document.querySelectorAll("details.picker[open]"))
    if (!details.contains(event.target)) details.open = false;
});

/** A name with a button that takes it away. */
export function chip(name, onRemove, key = "chip") {
  const attributes = { "aria-label": `Remove ${name}`, "data-key": `${key} ${name}` };
  return el("li.chip", el("span", name), onRemove && button("×", onRemove, attributes));
}

// Choosing runs: search, all, none, the best few.

import { el } from "./dom.js";

const panels = new Map(); // what is open and typed, while addresses change

/**
 * A picker of runs. `chosen` is a list of names, or null for all; `ranked` has the best first;
 * `onChange(list or null)` is called with every choice.
 */
export function runPicker({ key = "runs", label = "Runs", all, chosen, ranked = null, onChange }) {
  const state = panels.get(key) ?? { open: false, text: "", count: 10 };
  panels.set(key, state);
  const picked = new Set(chosen ?? all);
  const send = () => onChange(picked.size === all.length ? null : all.filter((name) => picked.has(name)));
  const list = el("ul.options", { "data-key": `${key} list`, tabIndex: -1 });
  const found = () => all.filter((name) => name.toLowerCase().includes(state.text.toLowerCase()));
  const most = 200;
  const fill = () => {
    const names = found();
    list.replaceChildren(
      ...names.slice(0, most).map((name) => {
        const box = el("input", {
          type: "checkbox",
          checked: picked.has(name),
          "data-key": `${key} ${name}`,
          onchange: () => {
            box.checked ? picked.add(name) : picked.delete(name);
            send();
          },
        });
        return el("li", el("label", box, el("span", name)));
      }),
    );
    if (!names.length) list.append(el("li.empty", `No name contains “${state.text}”.`));
    if (names.length > most) list.append(el("li.note", `${names.length - most} more: type a part of a name.`));
  };
  const search = el("input", {
    type: "search",
    value: state.text,
    placeholder: "part of a name",
    "aria-label": `Search ${label.toLowerCase()}`,
    "data-key": `${key} search`,
    oninput: () => {
      state.text = search.value;
      fill();
    },
  });
  const count = el("input", {
    type: "number",
    min: 1,
    max: all.length,
    value: Math.min(state.count, all.length),
    "aria-label": "Number of best runs",
    "data-key": `${key} count`,
    oninput: () => {
      state.count = Number(count.value) || 1;
    },
  });
  const set = (names) => {
    picked.clear();
    for (const name of names) picked.add(name);
    send();
  };
  const button = (text, names, title) =>
    el("button", { title, "data-key": `${key} ${text}`, onclick: () => set(names()) }, text);
  if (state.open) fill(); // there may be hundreds
  const details = el(
    "details.picker",
    {
      open: state.open,
      ontoggle: () => {
        state.open = details.open;
        if (details.open) fill();
      },
    },
    el(
      "summary",
      { "data-key": `${key} summary` },
      el("span.name", label),
      el("span.value", picked.size === all.length ? `all ${all.length}` : `${picked.size} of ${all.length}`),
    ),
    el(
      "div.panel",
      search,
      el(
        "div.row",
        button(
          "All",
          () => (state.text ? [...picked, ...found()] : all),
          "all runs, or all that match the search as well",
        ),
        button(
          "None",
          () => (state.text ? [...picked].filter((name) => !found().includes(name)) : []),
          "no runs, or none that match the search",
        ),
        ranked &&
          el(
            "span.row",
            button("Best", () => ranked.slice(0, Math.max(1, state.count)), "the best runs by the first measure"),
            count,
          ),
      ),
      list,
    ),
  );
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    details.open = false;
    details.querySelector("summary").focus();
  });
  const few = picked.size < all.length && picked.size <= 12;
  const chips =
    few &&
    el(
      "ul.chips",
      { "aria-label": `Chosen ${label.toLowerCase()}` },
      [...picked].map((name) =>
        chip(
          name,
          () => {
            picked.delete(name);
            send();
          },
          `${key} chip`,
        ),
      ),
    );
  return el("div.field", details, chips || null);
}

addEventListener("pointerdown", (event) => {
  for (const details of document.querySelectorAll("details.picker[open]"))
    if (!details.contains(event.target)) details.open = false;
});

/** A name with a button that takes it away. */
export function chip(name, onRemove, key = "chip") {
  return el(
    "li.chip",
    el("span", name),
    onRemove &&
      el("button", { "aria-label": `Remove ${name}`, "data-key": `${key} ${name}`, onclick: onRemove }, "×"),
  );
}

/** The runs of an address: null for all, an empty list for none. */
export function runsOf(parameters, all) {
  if (!parameters.has("run")) return null;
  const named = new Set(parameters.getAll("run"));
  return all.filter((name) => named.has(name));
}

/** The parameter of an address for chosen runs; see `runsOf`. */
export function runsParameter(chosen) {
  return chosen === null ? undefined : chosen.length ? chosen : [""];
}

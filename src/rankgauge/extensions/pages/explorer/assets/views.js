// The views that the page can show, their addresses, such as #/overview?measures=AP&run=bm25&run=dense, and the state
// that all of them share, which is part of every address.

import { openingAddress } from "./source.js";

/**
 * name -> {title, show(place, parameters, app), saves?, live?, ahead?, styles?}; modules add themselves. `parameters`
 * are URLSearchParams, `app.state` is that of `stateOf`. `saves` has "table" or "figure", `live` views need a server,
 * `ahead: false` ones are not built in advance, and `styles` names views whose styles hold here, too.
 */
export const VIEWS = new Map();

export const framed = location.protocol === "about:"; // in a cell of a notebook, without an address of its own

let here = location.hash || openingAddress; // of what is shown; in a frame that may not be the address

/** The parameters that all views share; others belong to one view, whose script may add some to these. */
export const SHARED = [
  ...["run", "measures", "measure", "curves", "baseline", "test", "correction", "sort", "down", "pair", "of"],
  ...["topic", "order", "find", "segment", "cells", "as", "new"],
];
export const MAX_COMPARED = 4; // runs side by side

const ofViews = new Map(); // view -> {of, own}: see `keepParameters`

/** Let the addresses of a view have parameters of its `own` wherever the shared ones are those that they are `of`. */
export function keepParameters(view, of, own) {
  ofViews.set(view, { of, own });
}

/** The address of a view in the state that is shown, but for some parameters: texts, numbers, or lists of them. */
export function address(view, parameters = {}) {
  const { parameters: now } = current(),
    shared = SHARED.filter((name) => now.has(name)).map((name) => [name, now.getAll(name)]),
    state = { ...Object.fromEntries(shared), ...parameters },
    { of, own } = ofViews.get(view) ?? {},
    same = of && Object.entries(of).every(([name, value]) => [state[name]].flat()[0] === value);
  return addressOf(view, same ? { ...own, ...state } : state);
}

function addressOf(view, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const each of [value].flat()) if (each !== undefined && each !== null) query.append(name, String(each));
  const text = query.toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}

/** The view and the parameters of an address, by default of what is shown; the first view if it names none. */
export function current(of = here) {
  const [, view, query] = /^#\/([\w-]*)\??(.*)$/.exec(of) ?? [];
  return { view: VIEWS.has(view) ? view : [...VIEWS.keys()][0], parameters: new URLSearchParams(query ?? "") };
}

/** The address that is shown with some parameters changed; undefined leaves one out. */
export function changed(changes) {
  const { view, parameters } = current();
  const kept = [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]);
  return addressOf(view, { ...Object.fromEntries(kept), ...changes });
}

/**
 * What all views share, by the address: the `chosen` runs (null for all), those that are `compared` side by side, the
 * first two of them as a `pair`, a `topic`, and the `measure` of views that show one (undefined for the first). By
 * default the best run is compared with the baseline (without judgments, the second with the first), and never with
 * one of the same values.
 */
export function stateOf(parameters, session) {
  const { runs, topics, ranked, copies, judged } = session;
  const named = (name) => [...new Set(parameters.getAll(name))].filter((run) => runs.includes(run)),
    chosen = parameters.has("run") ? runs.filter((run) => named("run").includes(run)) : null,
    best = [...ranked.filter((run) => chosen?.includes(run)), ...ranked],
    baseline = named("baseline")[0] ?? session.baseline ?? (judged ? null : runs[0]);
  const original = (run) => copies.get(run) ?? run,
    rivalOf = (run) =>
      best.find((other) => original(other) !== original(run)) ?? best.find((other) => other !== run) ?? run;
  const byDefault = baseline === null ? [rivalOf(best[0]), best[0]] : [baseline, rivalOf(baseline)],
    few = named("run").length <= MAX_COMPARED ? named("run").sort((a, b) => (b === baseline) - (a === baseline)) : [],
    compared = [named("pair"), few, [...new Set(byDefault)]].find((some) => some.length).slice(0, MAX_COMPARED);
  const only = compared[0];
  return {
    chosen,
    compared,
    pair: compared.length > 1 ? compared.slice(0, 2) : [byDefault.find((run) => run !== only) ?? only, only],
    topic: topics.includes(parameters.get("topic")) ? parameters.get("topic") : undefined,
    measure: parameters.get("measure") || parameters.get("measures")?.split(" ")[0] || undefined,
  };
}

/** Some parameters of an address by name; undefined where it has none. */
export function read(parameters, ...names) {
  return Object.fromEntries(names.map((name) => [name, parameters.get(name) || undefined]));
}

/** Make an address the page's, as a new entry of the history or in place of the current one; shows nothing. */
export function remember(to, { replace = true } = {}) {
  if (to === here) return;
  here = to;
  dispatchEvent(new Event("statechange"));
  if (!framed) history[replace ? "replaceState" : "pushState"](null, "", to);
  else if (!replace) location.hash = to;
}

addEventListener("hashchange", () => (here = location.hash));

if (framed) {
  document.addEventListener("click", (event) => {
    // a link would lead to the page around the frame
    const link = event.target.closest("a[href^='#/']");
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    location.hash = link.getAttribute("href");
  });
}

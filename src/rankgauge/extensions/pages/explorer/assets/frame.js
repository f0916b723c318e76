// The frame of the page: navigation, and the view of the address.

import { alertOf, change, counted, el, listOf } from "./dom.js";
import { ask, judgeBy, live } from "./source.js";
import { VIEWS, address, changed, current, framed, remember, stateOf } from "./views.js";
import { darkMode } from "./colours.js";
import { savingMenu } from "./saving.js";

const all = new Map(VIEWS);
const start = await sessionOf();
let session = start,
  decisions = start.decisions, // [how many, documents judged] since the start; null without a journal
  countedOf = null; // of the decisions by which the session is

/** What there is to see. */
async function sessionOf() {
  const answer = await ask("session");
  return {
    ...answer,
    queries: new Map(answer.queries?.map((query, i) => [answer.topics[i], query])),
    segments: new Map(answer.segments),
    copies: new Map(answer.copies),
  };
}

const main = el("main", { id: "main", tabindex: -1 });
const links = new Map(),
  list = listOf("ul", []),
  runs = counted(session.runs.length, "run");
const setNew = ({ target }) => app.change({ new: target.checked ? 1 : undefined }),
  newBox = el("input", { type: "checkbox", onchange: setNew }),
  newCount = el("span"),
  newJudgments = el("label.new", { hidden: true }, newBox, newCount);
const skip = (event) => {
  event.preventDefault();
  main.focus();
};
document.getElementById("page").replaceChildren(
  el("a.skip", { href: "#main", onclick: skip }, "Skip to the view"),
  el(
    "header.frame",
    el("h1", session.title),
    !session.title.startsWith(runs) && el("p.size", `${runs}, ${counted(session.topics.length, "topic")}`),
    newJudgments,
    el("nav", { "aria-label": "Views" }, list),
  ),
  main,
  el("footer", `Made by rankgauge ${session.version}.`),
);

/** Take the views that the session has, in the order of their links. */
function offer() {
  VIEWS.clear();
  for (const name of session.views.filter((each) => live || !all.get(each).live)) {
    VIEWS.set(name, all.get(name));
    if (!links.has(name)) links.set(name, el("a", all.get(name).title));
  }
  list.replaceChildren(...[...VIEWS.keys()].map((name) => el("li", links.get(name))));
}

/** The decisions whose judgments are to count: without judgments from the start all, or else by choice; or null. */
function wantedDecisions() {
  const [number, judged] = decisions ?? [0, 0],
    isOn = judged > 0 && (!start.judged || current().parameters.has("new"));
  newJudgments.hidden = !judged || !start.judged;
  newBox.checked = isOn;
  newCount.textContent = `with new judgments (${judged.toLocaleString("en")})`;
  return isOn ? number : null;
}

let rejudged = Promise.resolve();

/** Let the session be by the judgments that are to count. */
function judgeAnew() {
  const wanted = wantedDecisions(),
    change = async () => {
      session = wanted ? await sessionOf() : start;
      offer();
    };
  if (wanted !== countedOf) {
    countedOf = wanted;
    judgeBy(wanted);
    ahead.clear();
    rejudged = change();
  }
  return rejudged;
}

/** The links to views lead to them in the state that is shown. */
function linkViews() {
  for (const name of VIEWS.keys()) change(links.get(name), { href: address(name) });
}

/** What views share: the session, and ways to other addresses (as a new entry of the history, or the same one). */
const app = {
  go: (view, parameters) => open(address(view, parameters)),
  change: (changes, options) => open(changed(changes), options),
};

function open(to, { replace = false } = {}) {
  remember(to, { replace: replace && !framed });
  return show();
}

let turn = 0; // a slow view must not replace one that was asked for later
let shownView = "";

/** Where the person is: the focus and how far lists are scrolled, by the keys of elements. */
function whereabouts() {
  const scrolled = [...main.querySelectorAll("[data-key]")]
    .filter((each) => each.scrollTop || each.scrollLeft)
    .map((each) => [each.dataset.key, each.scrollTop, each.scrollLeft]);
  const focus = document.activeElement;
  return {
    key: main.contains(focus) ? focus.dataset.key : undefined,
    ends: focus?.type === "text" || focus?.type === "search" ? [focus.selectionStart, focus.selectionEnd] : null,
    scrolled,
  };
}

function comeBack({ key, ends, scrolled }) {
  const byKey = new Map([...main.querySelectorAll("[data-key]")].map((each) => [each.dataset.key, each]));
  for (const [each, top, left] of scrolled) byKey.get(each)?.scrollTo({ top, left, behavior: "instant" });
  const focus = byKey.get(key);
  focus?.focus({ preventScroll: true });
  if (focus && ends && "setSelectionRange" in focus) focus.setSelectionRange(...ends);
}

/** Scroll the links of the views sideways, where they do not fit, so that one is seen. */
function bringIntoView(link) {
  for (const list of [link.closest("ul"), link.closest("nav")])
    list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
}

/** A view in the state that is shown, with parameters; not yet part of the page. */
async function build(view, parameters) {
  const place = el("section", { class: `view ${view}`, "aria-label": VIEWS.get(view).title });
  // New judgments may be of some topics, and all rankings can be looked at.
  const seen = view === "ranking" ? { ...session, topics: start.topics, queries: start.queries } : session;
  await VIEWS.get(view).show(place, parameters, { ...app, session: seen, state: stateOf(parameters, seen) });
  return place;
}

function failed(view, error) {
  const anew = el("p", el("a", { href: `#/${view}` }, "Start this view anew"));
  return el("section", { class: `view ${view}` }, alertOf(error.message), anew);
}

async function show() {
  const mine = (turn += 1);
  await judgeAnew();
  if (mine !== turn) return;
  const { view, parameters } = current(),
    ready = ahead.get(view);
  ahead.delete(view);
  for (const [name, link] of links) change(link, { "aria-current": name === view && "page" });
  linkViews();
  document.title = `${VIEWS.get(view).title} – ${session.title}`;
  document.documentElement.removeAttribute("data-ready");
  main.setAttribute("aria-busy", "true");
  const built = ready?.to === changed({}) ? ready.built : build(view, parameters),
    place = await built.catch((error) => failed(view, error));
  if (mine !== turn) return;
  const before = whereabouts();
  if (shownView && view !== shownView) scrollTo({ top: 0, behavior: "instant" }); // while nothing has to be laid out
  document.documentElement.setAttribute("data-view", [view, VIEWS.get(view).styles ?? []].flat().join(" "));
  main.replaceChildren(place, savingMenu(view, session, build, place) ?? "");
  main.removeAttribute("aria-busy");
  if (view === shownView) comeBack(before);
  requestAnimationFrame(() => bringIntoView(links.get(view)));
  shownView = view;
  document.documentElement.setAttribute("data-ready", view);
}

const ahead = new Map(); // view -> {to, built}: its address, and the view that will be there

/** Build views in the state that is shown, one after the other, while nobody waits for an answer. */
function prepare([view, ...others]) {
  if (!view) return;
  const next = () => prepare(others);
  const start = () => {
    if (view === current().view || !VIEWS.has(view)) return next();
    const to = address(view),
      built = build(view, current(to).parameters);
    ahead.set(view, { to, built });
    return built.then(next, next);
  };
  (globalThis.requestIdleCallback ?? setTimeout)(start); // Safari has none
}

const problem = alertOf("");
addEventListener("unhandledrejection", ({ reason }) => {
  // of what a person did in a view that is shown, such as a click that the server does not answer
  problem.textContent = reason.message;
  main.prepend(problem);
});
addEventListener("hashchange", show);
addEventListener("restated", show); // by scripts that have changed the address
addEventListener("statechange", linkViews);
darkMode.addEventListener("change", () => {
  ahead.clear(); // drawings have their colours
  show();
});
addEventListener("judged", ({ detail }) => {
  decisions = detail;
  ahead.clear();
  if (wantedDecisions() && countedOf === null) judgeAnew().then(linkViews); // others wait until they are shown
});
offer();
await show();
if (live) prepare([...VIEWS.keys()].filter((name) => VIEWS.get(name).ahead !== false));

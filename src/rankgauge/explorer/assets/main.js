// The frame of the page: navigation, and the view of the address.

import { el } from "./dom.js";
import { ask, live } from "./source.js";
import { VIEWS, address, framed, parseAddress, remember } from "./views.js";
import { darkMode } from "./colours.js";
import { savingMenu } from "./saving.js";

const session = await ask("session");
for (const [name, { needs }] of VIEWS) if (needs && !session[needs]) VIEWS.delete(name);
const main = el("main", { id: "main", tabIndex: -1 });
const links = new Map([...VIEWS].map(([name, { title }]) => [name, el("a", { href: address(name) }, title)]));
const counted = (list, noun) => `${list.length.toLocaleString("en")} ${noun}${list.length === 1 ? "" : "s"}`;
document.getElementById("page").replaceChildren(
  el(
    "a.skip",
    {
      href: "#main",
      onclick: (event) => {
        event.preventDefault();
        main.focus();
      },
    },
    "Skip to the view",
  ),
  el(
    "header.frame",
    el("h1", session.title),
    session.title.startsWith(counted(session.runs, "run"))
      ? null
      : el("p.size", `${counted(session.runs, "run")}, ${counted(session.topics, "topic")}`),
    el("nav", { "aria-label": "Views" }, el("ul", [...links.values()].map((link) => el("li", link)))),
  ),
  main,
  el("footer", `Made by rankgauge ${session.version}.`),
);

/** What views share: the session, and a way to another address (a new entry of the history, or the same one). */
const app = {
  session,
  go(view, parameters, { replace = false } = {}) {
    const to = address(view, parameters);
    remember(to, { replace: replace && !framed });
    return show();
  },
};

let turn = 0; // a slow view must not replace one that was asked for later
let shownView = "";

/** Where the person is: the focus and how far lists are scrolled, by the keys of elements. */
function whereabouts() {
  const scrolled = [...main.querySelectorAll(".scroll[data-key], .options[data-key]")]
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

async function show() {
  const mine = (turn += 1);
  const { view, parameters } = parseAddress(location.hash);
  for (const [name, link] of links)
    name === view ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  bringIntoView(links.get(view));
  document.title = `${VIEWS.get(view).title} – ${session.title}`;
  document.documentElement.removeAttribute("data-ready");
  main.setAttribute("aria-busy", "true");
  const place = el("section", { className: `view ${view}`, "aria-label": VIEWS.get(view).title });
  try {
    await VIEWS.get(view).show(place, parameters, app);
  } catch (error) {
    place.replaceChildren(
      el("p.error", { role: "alert" }, error.message),
      el("p", el("a", { href: address(view) }, "Start this view anew")),
    );
  }
  if (mine !== turn) return;
  const before = whereabouts();
  document.documentElement.setAttribute("data-view", view); // for the styles of the view
  main.replaceChildren(place, savingMenu(view) ?? "");
  main.removeAttribute("aria-busy");
  if (view === shownView) comeBack(before);
  else if (shownView) scrollTo({ top: 0, behavior: "instant" });
  shownView = view;
  document.documentElement.setAttribute("data-ready", view);
}

/** Ask for what other views begin with, one after the other, while nobody waits for an answer. */
function prepare(views) {
  if (!views.length) return;
  const next = () => prepare(views.slice(1));
  requestIdleCallback(() => ask(views[0]).then(next, next));
}

addEventListener("hashchange", show);
darkMode.addEventListener("change", show);
await show();
if (live) prepare(["topics", "curves", "effort", "about"].filter((name) => VIEWS.has(name)));

// The frame of the page: navigation, and the view of the address.

import { el } from "./dom.js";
import { ask } from "./source.js";
import { VIEWS, address, parseAddress } from "./views.js";
import { darkMode } from "./charts.js";
import { savingMenu } from "./saving.js";

const session = await ask("session");
const main = el("main", { id: "main", tabIndex: -1 });
const links = new Map([...VIEWS].map(([name, { title }]) => [name, el("a", { href: address(name) }, title)]));
document.getElementById("page").replaceChildren(
  el("header", {}, el("h1", {}, session.title), el("nav", { "aria-label": "Views" }, el("ul", {}, [...links.values()].map((link) => el("li", {}, link))))),
  main,
  el("footer", {}, `Made by rankgauge ${session.version}.`),
);

/** What views share: the session, and a way to another address (a new entry of the history, or the same one). */
const app = {
  session,
  go(view, parameters, { replace = false } = {}) {
    if (replace) {
      history.replaceState(null, "", address(view, parameters));
      return show();
    }
    location.hash = address(view, parameters);
    return undefined;
  },
};

let turn = 0; // a slow view must not replace one that was asked for later

async function show() {
  const mine = (turn += 1);
  const { view, parameters } = parseAddress(location.hash);
  for (const [name, link] of links) name === view ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  document.title = `${VIEWS.get(view).title} – ${session.title}`;
  document.documentElement.removeAttribute("data-ready");
  const place = el("section", { className: `view ${view}`, "aria-label": VIEWS.get(view).title });
  try {
    await VIEWS.get(view).show(place, parameters, app);
  } catch (error) {
    place.replaceChildren(el("p", { role: "alert", className: "error" }, error.message));
  }
  if (mine !== turn) return;
  main.replaceChildren(place, savingMenu(view, parameters) ?? "");
  document.documentElement.setAttribute("data-ready", view);
}

addEventListener("hashchange", show);
darkMode.addEventListener("change", show);
await show();

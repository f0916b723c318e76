// The views that the page can show, and their addresses: #/overview?measures=AP&run=bm25&run=dense

/**
 * name -> {title, needs?, saves?, show(place, parameters, app)}; modules add themselves. `parameters` are
 * URLSearchParams, `needs` is a fact of the session without which there is no such view, and `saves` has "table" or
 * "figure" if the view can be saved as one.
 */
export const VIEWS = new Map();

export const framed = location.protocol === "about:"; // in a cell of a notebook, without an address of its own

let here = location.hash; // of what is shown; in a frame that may not be the address

/** The address of a view; a parameter is a text, a number, or a list of them. */
export function address(view, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const each of [value].flat()) if (each !== undefined && each !== null) query.append(name, String(each));
  const text = query.toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}

/** The view and the parameters that are shown; the first view if the address names none. */
export function current() {
  const [, view, query] = /^#\/([\w-]*)\??(.*)$/.exec(here) ?? [];
  return { view: VIEWS.has(view) ? view : [...VIEWS.keys()][0], parameters: new URLSearchParams(query ?? "") };
}

/** The address that is shown with some parameters changed; undefined leaves one out. */
export function changed(changes) {
  const { view, parameters } = current();
  const kept = [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]);
  return address(view, { ...Object.fromEntries(kept), ...changes });
}

/** Some parameters of an address by name; undefined where it has none. */
export function read(parameters, ...names) {
  return Object.fromEntries(names.map((name) => [name, parameters.get(name) || undefined]));
}

/** Make an address the page's, as a new entry of the history or in place of the current one; shows nothing. */
export function remember(to, { replace = true } = {}) {
  if (to === here) return;
  here = to;
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

// The views that the page can show, and their addresses: #/overview?measures=AP&run=bm25&run=dense

/** name -> {title, needs?, show(place, parameters, app)}; `parameters` are URLSearchParams, `needs` is a fact of the
 * session without which there is no such view. Modules add themselves. */
export const VIEWS = new Map();

/** The address of a view; a parameter is a text, a number, or a list of them. */
export function address(view, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const each of [value].flat()) if (each !== undefined && each !== null) query.append(name, String(each));
  const text = query.toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}

export const framed = location.protocol === "about:"; // in a cell of a notebook, without an address of its own

/** Make an address the page's, as a new entry of the history or in place of the current one; shows nothing. */
export function remember(to, { replace = true } = {}) {
  if (to === location.hash || (framed && replace)) return;
  if (framed) location.hash = to;
  else if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
}

if (framed) {
  document.addEventListener("click", (event) => {
    // a link would lead to the page around the frame
    const link = event.target.closest("a[href^='#/']");
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    location.hash = link.getAttribute("href");
  });
}

/** The view and the parameters of an address; the first view if it names none. */
export function parseAddress(hash) {
  const [, view, query] = /^#\/([\w-]*)\??(.*)$/.exec(hash) ?? [];
  return { view: VIEWS.has(view) ? view : [...VIEWS.keys()][0], parameters: new URLSearchParams(query ?? "") };
}

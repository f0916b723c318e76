// The views that the page can show, and their addresses: #/overview?measures=AP&run=bm25&run=dense

/** name -> {title, show(place, parameters, app)}; `parameters` are URLSearchParams. Modules add themselves. */
export const VIEWS = new Map();

/** The address of a view; a parameter is a text, a number, or a list of them. */
export function address(view, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) for (const each of [value].flat()) if (each !== undefined && each !== null) query.append(name, String(each));
  const text = query.toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}

/** The view and the parameters of an address; the first view if it names none. */
export function parseAddress(hash) {
  const [, view, query] = /^#\/([\w-]*)\??(.*)$/.exec(hash) ?? [];
  return { view: VIEWS.has(view) ? view : [...VIEWS.keys()][0], parameters: new URLSearchParams(query ?? "") };
}

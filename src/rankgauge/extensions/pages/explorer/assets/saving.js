// Saving what a view shows: a table, a figure, the page as a file, or the command that gives the same numbers.

import { button, el } from "./dom.js";
import { bytesOf, live, send } from "./source.js";
import { VIEWS, current, read, stateOf } from "./views.js";

const FORMATS = {
  table: { csv: "Table, CSV", tex: "Table, LaTeX" },
  figure: { svg: "Figure, SVG", pdf: "Figure, PDF", png: "Figure, PNG" },
  any: { html: "All views, HTML", command: "Command line" },
};

async function fetchFile(view, format, session) {
  const { parameters } = current(); // as it is now: some choices leave the view in place
  if (format === "html") return send("GET", "page", read(parameters, "measures", "baseline"));
  const { compared, measure } = stateOf(parameters, session);
  if (measure) parameters.set("measure", measure);
  if (view === "curves" && parameters.has("curves")) parameters.set("measures", parameters.get("curves"));
  if (view === "curves" || view === "ranking") {
    parameters.delete("run");
    for (const run of compared) parameters.append("run", run);
  }
  return send("POST", "save", { view, format, query: parameters.toString() });
}

/** Let the browser keep a file, whose bytes are in base 64. */
export function saveBytes({ name, type, content }) {
  const link = el("a", { href: URL.createObjectURL(new Blob([bytesOf(content)], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The menu that saves the view of an address; nothing for views that cannot be saved, and in saved pages. */
export function savingMenu(view, session) {
  const { saves } = VIEWS.get(view);
  if (!live || !saves) return null;
  const output = el("div.saved", { role: "status" });
  const save = async (format) => {
    try {
      const file = await fetchFile(view, format, session);
      if (format !== "command") saveBytes(file);
      const text = () => el("pre", { tabindex: 0 }, new TextDecoder().decode(bytesOf(file.content)).trim());
      output.replaceChildren(format === "command" ? text() : `Saved as ${file.name}.`);
    } catch (error) {
      output.replaceChildren(error.message);
    }
  };
  const formats = [...(session.judged ? saves : []), "any"].flatMap((kind) => Object.entries(FORMATS[kind])),
    buttons = formats.map(([format, name]) => button(name, () => save(format)));
  return el("details.saving", el("summary", "Save this view"), el("div.menu", buttons), output);
}

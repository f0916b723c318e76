// Saving what a view shows: a table, a figure, the page as a file, or the command that gives the same numbers.

import { button, el } from "./dom.js";
import { bytesOf, live, requestsOf, send } from "./source.js";
import { VIEWS, changed, current, read, stateOf } from "./views.js";

const FORMATS = {
  table: { csv: "Table, CSV", tex: "Table, LaTeX" },
  figure: { svg: "Figure, SVG", pdf: "Figure, PDF", png: "Figure, PNG" },
  any: { state: "This view, HTML", html: "All views, HTML", command: "Command line", comment: "Copy as comment" },
};
const COMMENT_ROWS = 12, // of a table in a comment
  SAID = ".summary p, .query, .facts, .column-head h3, p.value, .reasons h3, .reason, .note.unjudged, table";

/** A small page that opens at what is shown; `build` makes the view once more, so that its requests are known. */
async function fetchState(session, build) {
  const { view, parameters } = current(),
    { pair, topic } = stateOf(parameters, session),
    requests = await requestsOf(() => build(view, parameters)),
    inView = view === "ranking" ? { depth: parameters.get("depth") ?? session.ranking_depth } : {},
    asked = { ...read(parameters, "measures", "baseline"), runs: [...new Set(pair)], topic };
  return send("POST", "page-state", { ...asked, requests, address: changed(inView) });
}

/** What a view says, as Markdown: sentences, and the first rows of tables. */
export function markdownOf(place) {
  const escaped = (element) => element.innerText.trim().replace(/\s+/g, " ").replace(/[\\|<>*_`[\]]/g, "\\$&");
  const rowOf = ({ cells }) => `| ${[...cells].map(escaped).join(" | ")} |`;
  const ofTable = ({ rows }) => {
    const [head, ...others] = [...rows].map(rowOf),
      left = others.length - COMMENT_ROWS;
    const more = left > 0 ? [`\n… and ${left} more rows`] : [];
    return [head, head.replace(/[^|]+(?=\|)/g, "---").replaceAll("\\|", ""), ...others.slice(0, COMMENT_ROWS), ...more].join("\n");
  };
  const textOf = (each) => {
    if (each.matches("table")) return ofTable(each);
    if (each.matches("h3, .summary p:first-child, .query")) return `**${escaped(each)}**`;
    return each.matches("li") ? `- ${escaped(each)}` : escaped(each);
  };
  return [...place.querySelectorAll(SAID)].filter((each) => each.innerText.trim()).map(textOf).join("\n\n");
}

async function fetchFile(view, format, session, build) {
  const { parameters } = current(); // as it is now: some choices leave the view in place
  if (format === "state") return fetchState(session, build);
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
export function savingMenu(view, session, build, place) {
  const { saves } = VIEWS.get(view);
  if (!live || !saves) return null;
  const output = el("div.saved", { role: "status" });
  const save = async (format) => {
    try {
      if (format === "comment") {
        const comment = markdownOf(place);
        output.replaceChildren(el("pre", { tabindex: 0 }, comment));
        return await navigator.clipboard.writeText(comment).then(() => output.prepend("Copied."), () => {});
      }
      const file = await fetchFile(view, format, session, build);
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

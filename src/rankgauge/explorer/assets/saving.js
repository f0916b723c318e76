// Saving what a view shows: a table, a figure, the page as a file, or the command that gives the same numbers.

import { el } from "./dom.js";
import { live, send } from "./source.js";
import { parseAddress } from "./views.js";

/** The formats of each view that can be saved. */
const FORMATS = new Map([
  ["overview", ["csv", "tex", "svg", "pdf", "png", "html", "command"]],
  ["topics", ["csv", "tex", "svg", "pdf", "png", "html", "command"]],
  ["curves", ["csv", "tex", "svg", "pdf", "png", "html", "command"]],
  ["ranking", ["svg", "pdf", "png", "html", "command"]],
  ["effort", ["csv", "tex", "svg", "pdf", "png", "html", "command"]],
]);
const NAMES = {
  csv: "Table, CSV",
  tex: "Table, LaTeX",
  svg: "Figure, SVG",
  pdf: "Figure, PDF",
  png: "Figure, PNG",
  html: "All views, HTML",
  command: "Command line",
};

async function fetchFile(view, parameters, format) {
  const address = {};
  for (const name of new Set(parameters.keys())) address[`address.${name}`] = parameters.getAll(name);
  const [measures, baseline] = [parameters.get("measures") ?? undefined, parameters.get("baseline") ?? undefined];
  const { name, type, content } =
    format === "html"
      ? await send("GET", "page", view === "overview" ? { measures, baseline } : {})
      : await send("POST", "save", { view, format, ...address });
  return { name, blob: blobOf(content, type) };
}

/** The bytes that a text in base 64 stands for. */
function blobOf(base64, type) {
  return new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type });
}

/** Let the browser keep a file, whose bytes are in base 64. */
export function saveBytes(name, base64, type) {
  saveBlob(name, blobOf(base64, type));
}

function saveBlob(name, blob) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The menu that saves the view of an address; nothing for views that cannot be saved, and in saved pages. */
export function savingMenu(view) {
  if (!live || !FORMATS.has(view)) return null;
  const output = el("div.saved", { role: "status" });
  const choose = async (format) => {
    try {
      const { parameters } = parseAddress(location.hash); // as it is now: some choices leave the view in place
      const { name, blob } = await fetchFile(view, parameters, format);
      if (format === "command") output.replaceChildren(el("pre", { tabIndex: 0 }, (await blob.text()).trim()));
      else {
        saveBlob(name, blob);
        output.replaceChildren(`Saved as ${name}.`);
      }
    } catch (error) {
      output.replaceChildren(error.message);
    }
  };
  return el(
    "details.saving",
    el("summary", "Save this view"),
    el("div.menu", FORMATS.get(view).map((format) => el("button", { onclick: () => choose(format) }, NAMES[format]))),
    output,
  );
}

// Documents: their grades as signs, and their texts.

import { el } from "./dom.js";
import { ask, has } from "./source.js";

export const ROW_HEIGHT = 26; // pixels: lines are drawn between rows; --row of style.css is the same

/** A grade in words, for names that a screen reader reads. */
function gradeWords(grade) {
  return grade === null ? "unjudged" : `grade ${grade}`;
}

/** The kind of a grade, by which it is coloured: unjudged, none (below 1), or 1 to 4, the highest grade being 4. */
export function gradeKind(grade, levels) {
  if (grade === null) return "unjudged";
  if (grade < 1) return "none";
  const relevant = levels.filter((level) => level >= 1),
    place = relevant.indexOf(grade);
  if (place < 0) return grade < relevant.at(-1) ? "2" : "4"; // a grade that nobody has given so far
  return relevant.length < 2 ? "4" : String(1 + Math.round((3 * place) / (relevant.length - 1)));
}

/** The grade of a document in a small box: a question mark if it is not judged. */
export function gradeBox(grade, levels) {
  return el("span.grade", { "data-grade": gradeKind(grade, levels), title: gradeWords(grade) }, grade ?? "?");
}

/** The name of a document; where there is no room for it, its middle is left out, since many begin alike. */
export function documentName(name, title = name) {
  const letters = [...name],
    end = Math.max(0, letters.length - 6);
  return el(
    "span.doc-name",
    { title },
    el("span.head", letters.slice(0, end).join("")),
    el("span.tail", letters.slice(end).join("")),
  );
}

/**
 * A row of a list box of documents, with the `title` of its name, more of its `label` for screen readers, what stands
 * `before` and `after`, and attributes; `rank` is null if the document is not retrieved.
 */
export function documentRow({ name, rank, grade, levels, title, label = "", before, after, ...attributes }) {
  const place = rank === null ? "not retrieved" : `rank ${rank}`;
  return el(
    "li.doc",
    {
      role: "option",
      "data-rank": rank ?? "",
      "data-document": name,
      "data-grade": gradeKind(grade, levels),
      "aria-selected": "false",
      "aria-label": `${place}, ${name}, ${gradeWords(grade)}${label}`,
      ...attributes,
    },
    before,
    el("span.doc-rank", rank ?? "–"),
    gradeBox(grade, levels),
    documentName(name, title),
    after,
  );
}

/** What the signs mean. */
export function gradeLegend(levels) {
  return el(
    "p.legend",
    levels
      .filter((level, i) => i === 0 || i === levels.length - 1 || levels.length < 7)
      .map((level) => el("span", gradeBox(level, levels), ` grade ${level}`)),
    el("span", gradeBox(null, levels), " unjudged"),
  );
}

/** What is known of the text of a document. */
async function textOf(name) {
  const hint = (text) => [el("p.hint", text)];
  if (!has("document", { document: name }))
    return hint("This saved page does not hold the text; `rankgauge explore --documents FILE` shows it.");
  const { texts, known, title, body, cut } = await ask("document", { document: name });
  if (!texts) return hint("No texts were given; start with --documents FILE to see them.");
  if (!known) return hint("The file of texts has no such document.");
  const rest = cut && el("p.hint", "The rest of the text is left out.");
  return [title && el("h4", title), el("p.body", body || "(no text)"), rest];
}

/** A place beside a ranking for the text of a document; `show(name)` fills it. */
export function textPanel() {
  const body = el("div.text", { "aria-live": "polite" }, el("p.hint", "Choose a document to see its text."));
  let asked = null;
  async function show(name) {
    asked = name;
    const parts = await textOf(name).catch((error) => [el("p.error", { role: "alert" }, error.message)]);
    if (asked === name) body.replaceChildren(el("h3", name), ...parts.filter(Boolean));
  }
  return { element: el("aside.text-panel", { "aria-label": "Text of the document" }, body), show };
}

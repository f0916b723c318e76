// Documents: their grades as signs, and their texts.

import { el } from "./dom.js";
import { ask, has } from "./source.js";

/** A grade for people: a digit, or a question mark if the document is not judged. */
export function gradeText(grade) {
  return grade === null || grade === undefined ? "?" : String(grade);
}

/** A grade in words, for names that a screen reader reads. */
export function gradeWords(grade) {
  return grade === null || grade === undefined ? "unjudged" : `grade ${grade}`;
}

/** The kind of a grade, by which it is coloured: unjudged, none (below 1), or 1 to 4, the highest grade being 4. */
export function gradeKind(grade, levels) {
  if (grade === null || grade === undefined) return "unjudged";
  if (grade < 1) return "none";
  const relevant = levels.filter((level) => level >= 1);
  const place = relevant.indexOf(grade);
  return String(
    relevant.length < 2 || place < 0
      ? place < 0 && grade < relevant.at(-1)
        ? 2
        : 4
      : 1 + Math.round((3 * place) / (relevant.length - 1)),
  );
}

/** The grade of a document in a small box. */
export function gradeBox(grade, levels) {
  return el("span.grade", { "data-grade": gradeKind(grade, levels), title: gradeWords(grade) }, gradeText(grade));
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

/** A place beside a ranking for the text of a document; `show(name)` fills it. */
export function textPanel() {
  const body = el("div.text", { "aria-live": "polite" }, el("p.hint", "Choose a document to see its text."));
  let asked = null;
  const fill = (name, ...parts) => body.replaceChildren(el("h3", name), ...parts);
  async function show(name) {
    asked = name;
    if (!has("document", { document: name }))
      return fill(
        name,
        el("p.hint", "This saved page does not hold the text; `rankgauge explore --documents FILE` shows it."),
      );
    let answer;
    try {
      answer = await ask("document", { document: name });
    } catch (error) {
      return asked === name && fill(name, el("p.error", { role: "alert" }, error.message));
    }
    if (asked !== name) return undefined;
    if (!answer.texts) return fill(name, el("p.hint", "No texts were given; start with --documents FILE to see them."));
    if (!answer.known) return fill(name, el("p.hint", "The file of texts has no such document."));
    return fill(
      name,
      (answer.title && el("h4", answer.title)) || "",
      el("p.body", answer.body || "(no text)"),
      answer.cut ? el("p.hint", "The rest of the text is left out.") : "",
    );
  }
  return { element: el("aside.text-panel", { "aria-label": "Text of the document" }, body), show };
}

// Documents: their grades as signs, and their texts.

import { alertOf, el, filledBy, signed } from "./dom.js";
import { ask, has } from "./source.js";
import { VIEWS, address } from "./views.js";

export const ROW_HEIGHT = 26; // pixels: lines are drawn between rows; --row of style.css is the same ...
export const TEXT_HEIGHT = 84; // ... and --text-row this, of rows with titles and snippets

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

/** A text with the words of the query marked: every second part of it is one. Undefined if there is no text. */
export function markedText(parts) {
  return parts?.join("") ? parts.map((part, i) => (i % 2 ? el("mark", part) : part)) : undefined;
}

/** The name of a document; where there is no room, the middle of an id is left out, since many begin alike. */
export function documentName(name, hint = name) {
  if (name.includes(" ")) return el("span.doc-name", { title: hint }, el("span.head", name)); // a title
  const letters = [...name],
    end = Math.max(0, letters.length - 6);
  const [head, tail] = [letters.slice(0, end), letters.slice(end)].map((some) => some.join(""));
  return el("span.doc-name", { title: hint }, el("span.head", head), el("span.tail", tail));
}

/**
 * A row of a list box of documents: its name as `shown` with a `hint`, its marked `title` and `snippet` if there are
 * texts, more of its `label` for screen readers, what stands `before` and `after`; `rank` is null if not retrieved.
 */
export function documentRow({ name, rank, grade, levels, title, snippet, label = "", before, after, ...others }) {
  const [heading, text] = [title, snippet].map(markedText),
    { shown = name, hint = name, ...attributes } = others,
    place = rank === null ? "not retrieved" : `rank ${rank}`,
    // a name takes less of a browser than text that is not seen, in each of hundreds of rows
    words = [place, levels.length > 0 && gradeWords(grade), title?.join(""), shown].filter(Boolean);
  return el(
    "li.doc",
    {
      role: "option",
      "data-rank": rank ?? "",
      "data-document": name,
      "data-grade": gradeKind(grade, levels),
      "aria-selected": "false",
      "aria-label": words.join(", ") + label,
      ...attributes,
    },
    before,
    el("span.doc-rank", rank ?? "–"),
    levels.length > 0 && gradeBox(grade, levels),
    heading || text
      ? el("span.doc-text", heading && el("b", heading), text && el("span.snippet", text), documentName(shown, hint))
      : documentName(shown, hint),
    after,
  );
}

/** What the signs mean. */
export function gradeLegend(levels) {
  const some = levels.filter((_, i) => i === 0 || i === levels.length - 1 || levels.length < 7),
    signs = some.map((level) => el("span", gradeBox(level, levels), ` grade ${level}`));
  return el("p.legend", signs, el("span", gradeBox(null, levels), " unjudged"));
}

/** What is known of the text of a document: that of a saved page is what its rankings have. */
async function textOf(document, topic, given) {
  const hint = (text) => [el("p.hint", text)],
    request = { document, topic };
  const parts = (title, body, rest) => [
    markedText(title) && el("h4", markedText(title)),
    el("p.body", markedText(body) ?? "(no text)"),
    rest && el("p.hint", rest),
  ];
  if (!has("document", request))
    return given?.snippet
      ? parts(given.title, given.snippet, "This saved page does not hold the rest of the text.")
      : hint("This saved page does not hold the text.");
  const { texts, known, title, body, cut } = await ask("document", request);
  if (!texts) return hint("No texts were given; start with --documents FILE to see them.");
  if (!known) return hint("The file of texts has no such document.");
  return parts(title, body, cut && "The rest of the text is left out.");
}

/** What other packages add to the text of a document: functions of its name, its topic, and more if that is known. */
export const beside = [];

/** A place beside a ranking of a topic for the text of a document; `show(name)` fills it. */
export function textPanel(topic, given = new Map()) {
  const body = el("div.text", { "aria-live": "polite" }, el("p.hint", "Choose a document to see its text."));
  const { show } = filledBy(body, async (name) => {
    const document = given.get(name),
      all = [textOf(name, topic, document), ...beside.map((add) => add(name, topic, document))],
      [parts, ...others] = await Promise.all(all.map((each) => each.catch(({ message }) => [alertOf(message)])));
    return [el("h3", name), ...others.flat(), ...parts.filter(Boolean)];
  });
  return { element: el("aside.text-panel", { "aria-label": "Text of the document" }, body), show };
}

/** How many documents at the top of two runs nobody has judged, and how far they could move the difference. */
export function unjudgedNote({ session, state }, measure, topic) {
  const note = el("p.note.unjudged", { role: "status" }),
    [first, second] = state.pair,
    asked = { runs: [first, second], measure, topic };
  const fill = ({ unjudged, of, depth, grade, known, low, high }) => {
    if (!unjudged) return;
    const top = `${unjudged.toLocaleString("en")} of ${of.toLocaleString("en")} results in the top ${depth} of ${first} and ${second} are unjudged`,
      moved = `They could move the difference from ${signed(known)} to between ${signed(low)} and ${signed(high)}: if those of one run alone had grade ${grade}.`,
      link = VIEWS.has("judge") && el("a", { href: address("judge", { topic }) }, "Judge them");
    note.replaceChildren(`${top}. `, known === null ? "" : `${moved} `, link || "");
  };
  const isAsked = session.judged && !session.subtopics && first !== second && VIEWS.has("ranking");
  if (isAsked && has("unjudged", asked)) ask("unjudged", asked).then(fill, ({ message }) => note.append(message));
  return note;
}

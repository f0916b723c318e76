// What to know about the numbers: notes, advice, how they were made, findings of studies.

import { el, listOf } from "./dom.js";
import { ask, leftOut } from "./source.js";
import { sectionOf } from "./tables.js";
import { VIEWS } from "./views.js";
import { unjudgedNote } from "./documents.js";

const FOLDED = 12; // more items than that are opened by a click

VIEWS.set("about", {
  title: "About",
  async show(place, _, app) {
    const { notes, advice, provenance, findings } = await ask("about");
    const factsOf = ({ title, items }) => {
      const facts = items.flatMap(([name, value]) => [el("dt", name), el("dd", value)]);
      const heading = el("summary", el("h2", title), items.length > FOLDED && ` ${items.length}`);
      return el("details", { open: items.length <= FOLDED }, heading, el("dl", facts));
    };
    place.replaceChildren(
      el(
        "p",
        "What the numbers of this page rest on. Read the notes and the advice before you report a difference; quote the measures, rules and versions with it, so that others can compute the same.",
      ),
      unjudgedNote(app, app.session.measures[0]),
      ...findings.map(sectionOf),
      ...sentences("Notes on the data", notes),
      ...sentences("Advice on reading the numbers", advice),
      ...sentences("What this page leaves out", leftOut),
      ...provenance.map(factsOf),
    );
  },
});

function sentences(title, texts) {
  return texts.length ? [el("h2", title), listOf("ul.notes", texts)] : [];
}

// Labels of language models compared with the judgments: what they can be used for.

import { el } from "./dom.js";
import { ask } from "./source.js";
import { sectionOf } from "./tables.js";
import { VIEWS } from "./views.js";

VIEWS.set("judges", {
  title: "Judges",
  async show(place) {
    const { sections } = await ask("judges");
    place.replaceChildren(
      el("p.hint", "How labels of language models compare with the judgments, and what they would change."),
      ...sections.map(sectionOf),
    );
  },
});

// Questions that need several documents: who finds all of them.

import { el, shown } from "./dom.js";
import { ask } from "./source.js";
import { table } from "./tables.js";
import { VIEWS } from "./views.js";

VIEWS.set("multihop", {
  title: "Multi-hop",
  async show(place) {
    const { depths, runs, hard } = await ask("incomplete");
    const columns = [
      { title: "run", value: ({ run }) => run },
      ...depths.map((depth, i) => ({
        title: `complete at ${depth}`,
        value: ({ shares }) => shares[i],
        cell: ({ shares }) => shown(shares[i], 3),
        numeric: true,
      })),
    ];
    const last = depths[depths.length - 1];
    place.replaceChildren(
      el("p", "The share of questions with all their relevant documents among the first of a ranking."),
      table(columns, runs, { label: "Complete questions", by: `complete at ${last}` }),
      el("p.multihop", { hidden: !hard.length }, `No run completes these questions by rank ${last}: ${hard.join(", ")}.`),
    );
  },
});

// The leaderboard.

import { VIEWS } from "./views.js";
import { ask } from "./source.js";
import { table } from "./tables.js";

VIEWS.set("overview", {
  title: "Overview",
  async show(place, parameters) {
    const { measures, runs } = await ask("overview", { measures: parameters.get("measures") ?? undefined });
    place.replaceChildren(table([
      { title: "run", value: (run) => run.name },
      ...measures.map(({ text }, i) => ({ title: text, numeric: true, value: (run) => run.means[i] })),
    ], runs));
  },
});

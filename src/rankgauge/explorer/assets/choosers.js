// Choosing the topic and the runs of a ranking.

import { el } from "./dom.js";
import { chip } from "./runs.js";
import { topicChooser } from "./topic-chooser.js";

/** The topic, with buttons to the previous and the next one. */
export function topicSteps(topics, topic, onChange) {
  const at = topics.indexOf(topic);
  const step = (by, sign, title) =>
    el(
      "button",
      {
        disabled: topics[at + by] === undefined,
        "aria-label": title,
        title,
        "data-key": title,
        onclick: () => onChange(topics[at + by]),
      },
      sign,
    );
  return el(
    "div.steps",
    step(-1, "←", "Previous topic"),
    topicChooser({ topics, chosen: topic, onChange }),
    step(1, "→", "Next topic"),
  );
}

/** One run, by part of its name. */
export function runChooser(label, runs, chosen, onChange) {
  return topicChooser({
    key: `choose ${label}`,
    label,
    topics: runs,
    chosen,
    onChange: (name) => name && onChange(name),
  });
}

/** A few runs in an order, which can be removed, and a chooser for more of them. */
export function runColumns(runs, chosen, most, onChange) {
  const left = runs.filter((name) => !chosen.includes(name));
  return el(
    "div.steps",
    el(
      "ul.chips",
      { "aria-label": "Runs side by side" },
      chosen.map((name) =>
        chip(name, chosen.length > 1 ? () => onChange(chosen.filter((each) => each !== name)) : null, "column"),
      ),
    ),
    left.length > 0 && chosen.length < most && runChooser("Add a run", left, "", (name) => onChange([...chosen, name])),
  );
}

// Lecture: one measure on one screen, stepped through by the arrow keys.

import { VIEWS, changed, remember } from "./views.js";
import { el } from "./dom.js";
import { ask } from "./source.js";
import { measureChoice } from "./measures.js";
import { nameChooser, notHere, topicSteps, topicsInOrder } from "./choosers.js";
import { lectureBoard } from "./board.js";

async function showLecture(place, parameters, app) {
  const { session, state } = app,
    { topics } = await topicsInOrder(parameters, app),
    topic = state.topic ?? topics[0] ?? session.topics[0],
    run = session.runs.includes(parameters.get("of")) ? parameters.get("of") : state.compared.at(-1);
  const found = await ask("lecture", { topic, run, measure: state.measure ?? session.measures[0] }),
    anew = (changes) => app.change({ topic, of: run, step: undefined, ...changes });
  place.replaceChildren(
    el(
      "div.toolbar",
      topicSteps(session, topics, topic, (name) => anew({ topic: name })),
      nameChooser("Run", session.runs, run, (name) => anew({ of: name })),
      measureChoice([], found.measure, (text) => anew({ measure: text })),
    ),
    notHere(parameters, session),
    found.query ? el("p.query", found.query) : "",
    lectureBoard(found, Number(parameters.get("step")) || 0, (step) => {
      if (place.isConnected) remember(changed({ step: step || undefined }));
    }),
  );
}

VIEWS.set("lecture", { title: "Lecture", live: true, ahead: false, styles: "ranking", show: showLecture });

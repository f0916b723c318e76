// Judging documents, one after another. A saved page has no server to record decisions, and no such view.

import { el, field } from "./dom.js";
import { live, send } from "./source.js";
import { VIEWS, address } from "./views.js";
import { idOfAddress, judgeCard } from "./judge-card.js";
import { judgeAgreement, judgeDecisions, judgeEffect, judgeExport } from "./judge-results.js";

const JUDGE_PARTS = {
  judge: "Judge",
  decisions: "Decisions",
  agreement: "Agreement",
  leaderboard: "Leaderboard",
  export: "Export",
};

/** What to do where there is no journal. */
function withoutJournal(command) {
  return [
    el("h2", "Judge documents"),
    el(
      "p",
      "Decisions are written to a journal, a file that only grows. Name one when you start, and this view shows the documents of a pool that have no judgment yet, one after another:",
    ),
    el("pre", `${command || "rankgauge explore QRELS RUN..."} --journal judgments.jsonl`),
    el(
      "p",
      "With --documents FILE and --topics FILE the texts are shown, too; --grades-to-give 0,1,2 sets the grades.",
    ),
  ];
}

/** Who judges? */
function assessorForm(state, choices, app) {
  const name = el("input", { type: "text", required: true, maxLength: 100, autocomplete: "off", name: "assessor" });
  const begin = (assessor) => app.go("judge", { ...choices, assessor });
  const submit = (event) => {
    event.preventDefault();
    if (name.value.trim()) begin(name.value.trim());
  };
  return [
    el("h2", "Who judges?"),
    el(
      "p",
      "The name is kept with each decision. People who use different names do not see each other's grades while they judge.",
    ),
    el("form.toolbar", { onsubmit: submit }, field("Your name", name), el("button", { type: "submit" }, "Begin")),
    state.assessors.length > 0 &&
      el(
        "p.again",
        "Or go on as ",
        state.assessors.map((each) => [el("button", { onclick: () => begin(each) }, each), " "]),
      ),
  ];
}

/** Which documents, and in which order. */
function poolForm(state, choices, app) {
  const depth = el("input", { type: "number", min: 1, max: 1000, value: state.depth, required: true });
  const select = (words, value) =>
    el(
      "select",
      Object.entries(words).map(([name, text]) => el("option", { value: name, selected: name === value }, text)),
    );
  const order = select(state.orders, state.order),
    share = select(state.shares, state.share);
  const submit = (event) => {
    event.preventDefault();
    app.go("judge", {
      ...choices,
      topic: undefined,
      document: undefined,
      depth: depth.value,
      order: order.value,
      share: share.value,
    });
  };
  return el(
    "details.pool",
    el("summary", `Documents without a judgment among the first ${state.depth} of each run`),
    el(
      "form.toolbar",
      { onsubmit: submit },
      field("Depth", depth),
      field("Order", order),
      field("Several people", share),
      el("button", { type: "submit" }, "Apply"),
    ),
  );
}

if (live) {
  VIEWS.set("judge", {
    title: "Judge",
    async show(place, parameters, app) {
      const choices = {};
      for (const name of ["assessor", "topic", "order", "share", "part", "measure", "resolve", "figure"])
        choices[name] = parameters.get(name) ?? undefined;
      if (parameters.has("depth")) choices.depth = Number(parameters.get("depth"));
      const part = Object.hasOwn(JUDGE_PARTS, choices.part ?? "") ? choices.part : "judge";
      const document =
        parameters.has("document") && part === "judge" ? idOfAddress(parameters.get("document")) : undefined;
      const state = await send("GET", "judge", { ...choices, document });
      place.classList.add("judging");
      if (!state.journal) return place.replaceChildren(...withoutJournal(state.command));
      if (!choices.assessor) return place.replaceChildren(...assessorForm(state, choices, app).filter(Boolean));
      const rest = {
        ...choices,
        topic: undefined,
        part: undefined,
        measure: undefined,
        figure: undefined,
        resolve: undefined,
      };
      const tabs = Object.entries(JUDGE_PARTS).map(([name, title]) =>
        el(
          "li",
          el(
            "a",
            {
              href: address("judge", name === "judge" ? rest : { ...rest, part: name }),
              "aria-current": name === part ? "page" : null,
            },
            title,
          ),
        ),
      );
      const contents = {
        judge: () => [poolForm(state, choices, app), judgeCard(state, { ...choices, part: undefined })],
        decisions: () => judgeDecisions(choices),
        agreement: () => judgeAgreement(choices),
        leaderboard: () => judgeEffect(choices, app, state),
        export: () => judgeExport(state),
      };
      const body = await contents[part]();
      return place.replaceChildren(
        el(
          "div.top",
          el("nav", { "aria-label": "Judging" }, el("ul", tabs)),
          el(
            "p.who",
            choices.assessor,
            " ",
            el("a", { href: address("judge", { ...rest, assessor: undefined }) }, "change"),
          ),
        ),
        ...state.notes.map((note) => el("p.note", note)),
        ...body.filter(Boolean),
      );
    },
  });
}

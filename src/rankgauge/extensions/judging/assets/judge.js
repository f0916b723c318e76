// Judging documents, one after another. A saved page has no server to record decisions, and no such view.

import { alertOf, button, el, field, listOf, select, submitButton } from "./dom.js";
import { send } from "./source.js";
import { SHARED, VIEWS, changed, read } from "./views.js";
import { idOfAddress, judgeCard } from "./judge-card.js";
import { startForm, textForm } from "./judge-here.js";
import { judgeAgreement, judgeDecisions, judgeEffect, judgeExport, judgeProgress } from "./judge-results.js";

/** name -> [title, (state, choices, app) => what is shown]; the first is shown unless the address names another. */
const JUDGE_PARTS = {
  judge: ["Judge", (state, choices, app) => [poolForm(state, app), judgeCard(state, choices, app.session.queries)]],
  progress: ["Progress", judgeProgress],
  decisions: ["Decisions", judgeDecisions],
  agreement: ["Agreement", judgeAgreement],
  leaderboard: ["Leaderboard", judgeEffect],
  export: ["Export", judgeExport],
};
SHARED.push("assessor");
const OF_PARTS = ["part", "topic", "document", "measure", "figure", "resolve"]; // parameters that others do not have
const NO_PART = Object.fromEntries(OF_PARTS.map((name) => [name, undefined]));

/** What to do where there is no journal. */
function withoutJournal(command) {
  return [
    el("h2", "Judge documents"),
    el(
      "p",
      "This view shows the documents of a pool that have no judgment yet, one after another. Decisions are written to a journal, a file that only grows, where the explorer was started:",
    ),
    startForm(),
    el("p", "Or name it with the next start:"),
    el("pre", { tabindex: 0 }, `${command || "rankgauge explore QRELS RUN..."} --journal judgments.jsonl`),
    el(
      "p",
      "With --documents FILE and --topics FILE the texts are shown, too; --grades-to-give 0,1,2 sets the grades.",
    ),
  ];
}

/** Who judges? */
function assessorForm({ assessors }, app) {
  const known = assessors.map((assessor) => [button(assessor, () => app.change({ assessor })), " "]);
  return [
    el("h2", "Who judges?"),
    el(
      "p",
      "The name is kept with each decision. People who use different names do not see each other's grades while they judge.",
    ),
    textForm("Your name", "Begin", { maxlength: 100, name: "assessor" }, (name) => app.change({ assessor: name })),
    known.length > 0 && el("p.again", "Or go on as ", known),
  ];
}

/** Which documents, and in which order. */
function poolForm(state, app) {
  const depth = el("input", { type: "number", min: 1, max: 1000, value: state.depth, required: true }),
    order = select(Object.entries(state.orders), state.order),
    share = select(Object.entries(state.shares), state.share);
  const submit = (event) => {
    event.preventDefault();
    app.change({ ...NO_PART, depth: depth.value, pool: order.value, share: share.value });
  };
  const which = `Documents without a judgment among the first ${state.depth} of each run`,
    [first, ...others] = ["decide", "conflicts"].includes(state.order) ? state.orders[state.order] : which,
    summary = el("summary", first.toUpperCase(), others),
    fields = [field("Depth", depth), field("Order", order), field("Several people", share)];
  return el("details.pool", summary, el("form.toolbar", { onsubmit: submit }, fields, submitButton("Apply")));
}

VIEWS.set("judge", {
  title: "Judge",
  live: true,
  ahead: false, // it would read all runs
  async show(place, parameters, app) {
    const asked = read(parameters, "assessor", "topic", "share", "measure", "resolve", "figure");
    const order = parameters.get("pool") ?? undefined;
    const choices = { ...asked, order, depth: parameters.has("depth") ? Number(parameters.get("depth")) : undefined };
    const part = Object.hasOwn(JUDGE_PARTS, parameters.get("part") ?? "") ? parameters.get("part") : "judge";
    const isNamed = parameters.has("document") && part === "judge";
    const document = isNamed ? idOfAddress(parameters.get("document")) : undefined;
    const state = await send("GET", "judge", { ...choices, document });
    place.classList.add("judging");
    if (!state.journal) return place.replaceChildren(...withoutJournal(state.command));
    const problem = part === "judge" && choices.assessor ? [] : [alertOf(state.problem)];
    if (!choices.assessor) return place.replaceChildren(...problem, ...assessorForm(state, app).filter(Boolean));
    const tabs = Object.entries(JUDGE_PARTS).map(([name, [title]]) => {
      const href = changed({ ...NO_PART, part: name === "judge" ? undefined : name });
      return el("a", { href, "aria-current": name === part ? "page" : null }, title);
    });
    const body = await JUDGE_PARTS[part][1](state, choices, app);
    return place.replaceChildren(
      el(
        "div.top",
        el("nav", { "aria-label": "Judging" }, listOf("ul", tabs)),
        el("p.who", choices.assessor, " ", el("a", { href: changed({ ...NO_PART, assessor: undefined }) }, "change")),
      ),
      ...problem,
      ...state.notes.map((note) => el("p.note", note)),
      ...body.filter(Boolean),
    );
  },
});

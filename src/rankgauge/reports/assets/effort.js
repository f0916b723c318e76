// The curves of a point of the effort/gain plot: cumulated relative position (CRP) and cumulated gain (DCG).
// Both follow from the ranks and grades of the relevant documents retrieved, so the page carries only these.

/** [[rank, grade], ...] of the relevant documents retrieved, from [[step to the next rank, index of grade], ...]. */
function hitsOf(topic, steps) {
  let rank = 0;
  return steps.map(([step, level]) => [(rank += step), topic.base[level][0]]);
}

/** Cumulated relative position at ranks 1 to depth; topic.base is [[grade, documents], ...], best grade first. */
function crp(topic, hits, depth) {
  let last = 0;
  const interval = new Map(topic.base.map(([grade, count]) => [grade, [last + 1, (last += count)]]));
  const relevant = last, grades = new Map(hits), curve = [];
  let sum = 0;
  for (let rank = 1; rank <= depth; rank += 1) {
    const [first, end] = grades.has(rank) ? interval.get(grades.get(rank)) : [relevant + 1, Infinity];
    if (rank < first) sum += rank - first;
    else if (rank > end) sum += rank - end;
    curve.push(sum);
  }
  return curve;
}

/** Discounted cumulated gain at ranks 1 to depth, with grades as gains and a discount of log2(1 + rank). */
function dcg(hits, depth) {
  const grades = new Map(hits), curve = [];
  let sum = 0;
  for (let rank = 1; rank <= depth; rank += 1) {
    if (grades.has(rank)) sum += grades.get(rank) / Math.log2(1 + rank);
    curve.push(sum);
  }
  return curve;
}

/** The hits of the ideal ranking of a topic. */
function idealOf(topic) {
  let rank = 0;
  return topic.base.flatMap(([grade, count]) => Array.from({ length: count }, () => [(rank += 1), grade]));
}

/** A small line chart of series over ranks, with the recall base marked. */
function lines(title, series, relevant) {
  const values = series.flatMap(([name, curve]) => curve.map((value, i) => ({ name, rank: i + 1, value })));
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    width: 400,
    height: 200,
    title: { text: title, anchor: "start" },
    layer: [
      { data: { values: [{ rank: relevant }] }, mark: { type: "rule", strokeDash: [2, 3], color: "#999" }, encoding: { x: { field: "rank", type: "quantitative" } } },
      {
        data: { values },
        mark: { type: "line", interpolate: "step-after" },
        encoding: {
          x: { field: "rank", type: "quantitative", title: "rank (dotted line: recall base)" },
          y: { field: "value", type: "quantitative", title: null, axis: { minExtent: 40 } },
          color: { field: "name", type: "nominal", title: null, sort: null, scale: { range: ["#0072b2", "#d55e00"] } },
          strokeDash: { field: "name", type: "nominal", title: null, sort: null, scale: { range: [[1, 0], [5, 3]] } },
          tooltip: [{ field: "name", title: "ranking" }, { field: "rank" }, { field: "value", format: ".4~f" }],
        },
      },
    ],
  };
}

const KEYS = { ArrowLeft: ["twist", -1], ArrowRight: ["twist", 1], ArrowDown: ["gain", -1], ArrowUp: ["gain", 1] };

/** The next point in the direction of an arrow key, by twist or by gain; undefined after the last. */
function nextPoint(effort, from, key) {
  const [along, step] = KEYS[key], across = along === "twist" ? "gain" : "twist";
  const order = effort.points.flatMap((point, number) => (point.twist === null || point.gain === null ? [] : [[point, number]]));
  order.sort(([a, i], [b, j]) => a[along] - b[along] || a[across] - b[across] || i - j);
  const numbers = order.map(([, number]) => number);
  return numbers.includes(from) ? numbers[numbers.indexOf(from) + step] : numbers[0];
}

/** The panel below the plot in `stage`: choose a run and a topic, or click a point, or move with the arrow keys. */
function openPanel(effort, place, plot, stage) {
  const make = (tag, properties = {}) => Object.assign(document.createElement(tag), properties);
  const choose = (label, names) => {
    const select = make("select");
    select.append(...names.map((name, i) => make("option", { value: String(i), textContent: name })));
    const wrap = make("label", { textContent: `${label} ` });
    wrap.append(select);
    return [wrap, select];
  };
  const [runLabel, run] = choose("Run", effort.runs);
  const names = effort.topics.map((each) => each.name);
  const [topicLabel, topic] = choose("Topic", names);
  const hint = make("p", {
    textContent: "Choose a point, or a run and a topic, to see where its ranking differs from the ideal. In the plot, arrow keys move between points.",
  });
  const tools = make("div", { className: "tools" });
  const status = make("p", { role: "status" });
  const charts = make("div", { className: "pair" });
  const [left, right] = [make("div"), make("div")];
  charts.append(left, right);
  tools.append(runLabel, topicLabel);
  place.append(hint, tools, status, charts);

  let requested = 0; // the latest point requested; drawing may take longer than the next key press
  const show = async () => {
    const number = Number(run.value) * effort.topics.length + Number(topic.value);
    requested = number;
    const point = effort.points[number], judged = effort.topics[Number(topic.value)];
    plot.data("selected", point.twist === null || point.gain === null ? [] : [{ x: point.twist, y: point.gain }]);
    await plot.runAsync();
    const name = `${effort.runs[Number(run.value)]}, topic ${judged.name}`;
    const value = (x) => (x === null ? "undefined" : x.toFixed(4));
    status.textContent = `${name}: Twist ${value(point.twist)}, ${effort.gain} ${value(point.gain)}`
      + (point.archetype ? `, ${point.archetype}` : "") + ".";
    const hits = hitsOf(judged, point.hits);
    const relevant = judged.base.reduce((sum, [, count]) => sum + count, 0);
    const depth = Math.max(effort.N, 2 * relevant);
    const short = Math.min(depth, effort.shown);
    if (requested !== number) return;
    await vegaEmbed(left, lines("Cumulated relative position", [["run", crp(judged, hits, depth).slice(0, short)], ["ideal", Array(short).fill(0)]], relevant), options());
    if (requested !== number) return;
    await vegaEmbed(right, lines("Discounted cumulated gain", [["run", dcg(hits, short)], ["ideal", dcg(idealOf(judged), short)]], relevant), options());
    place.dataset.shown = String(number);
  };
  const select = (number) => {
    run.value = String(Math.floor(number / effort.topics.length));
    topic.value = String(number % effort.topics.length);
    return show();
  };
  run.addEventListener("change", show);
  topic.addEventListener("change", show);
  plot.addEventListener("click", (event, item) => {
    const at = [effort.runs.indexOf(item?.datum?.run), names.indexOf(item?.datum?.topic)];
    if (Math.min(...at) >= 0) select(at[0] * names.length + at[1]);
  });
  Object.assign(stage, { tabIndex: 0, role: "application", ariaLabel: hint.textContent });
  stage.onkeydown = (event) => {
    if (!(event.key in KEYS) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault(); // do not scroll the page
    const number = nextPoint(effort, requested, event.key);
    if (number !== undefined) select(number);
  };
  return select(0);
}

/** CRP and DCG of every point down to a rank, for tests that compare them with the library. */
function allCurves(effort, depth) {
  return effort.points.map((point, number) => {
    const topic = effort.topics[number % effort.topics.length], hits = hitsOf(topic, point.hits);
    return [crp(topic, hits, depth), dcg(hits, depth)];
  });
}

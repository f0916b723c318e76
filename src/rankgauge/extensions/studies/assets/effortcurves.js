// The curves of a point of the effort/gain plot: cumulated relative position (CRP) and cumulated gain (DCG).
// Both follow from the ranks and grades of the relevant documents retrieved, so the page carries only these.

/** [[rank, grade], ...] of the relevant documents retrieved, from [step, number of its grade, step, ...]. */
export function hitsFromSteps(base, steps) {
  const hits = [];
  for (let i = 0, rank = 0; i < steps.length; i += 2) hits.push([(rank += steps[i]), base[steps[i + 1]][0]]);
  return hits;
}

/** Cumulated relative position at ranks 1 to depth; base is [[grade, documents], ...], best grade first. */
export function crpCurve(base, hits, depth) {
  let last = 0;
  const interval = new Map(base.map(([grade, count]) => [grade, [last + 1, (last += count)]]));
  const relevant = last,
    grades = new Map(hits),
    curve = [];
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
export function dcgCurve(hits, depth) {
  const grades = new Map(hits),
    curve = [];
  let sum = 0;
  for (let rank = 1; rank <= depth; rank += 1) {
    if (grades.has(rank)) sum += grades.get(rank) / Math.log2(1 + rank);
    curve.push(sum);
  }
  return curve;
}

/** The hits of the ideal ranking. */
export function idealHits(base) {
  let rank = 0;
  return base.flatMap(([grade, count]) => Array.from({ length: count }, () => [(rank += 1), grade]));
}

const ARROWS = { ArrowLeft: ["x", -1], ArrowRight: ["x", 1], ArrowDown: ["y", -1], ArrowUp: ["y", 1] };

/** The next point in the direction of an arrow key; undefined after the last, or for another key. Points are {x, y}. */
export function nextPoint(points, from, key) {
  if (!(key in ARROWS)) return undefined;
  const [along, by] = ARROWS[key],
    across = along === "x" ? "y" : "x";
  const order = points
    .map((_, i) => i)
    .sort((i, j) => points[i][along] - points[j][along] || points[i][across] - points[j][across] || i - j);
  return from === -1 ? order[0] : order[order.indexOf(from) + by];
}

// Changes of a ranking and of its judgments, as short texts for an address: m7_1*x3*g4_2*g5_*c20
//
//   m7_1   document 7 goes to rank 1      x3   document 3 is removed      c20   the list ends at rank 20
//   g4_2   document 4 has grade 2         g5_  document 5 is not judged
//
// Documents are numbered: those retrieved in rank order, then those judged, then those added.

const EDIT = /^(?:m(\d{1,7})_(\d{1,7})|x(\d{1,7})|g(\d{1,7})_(-?\d{1,9}(?:\.\d{1,9})?)?|c(\d{1,7}))$/;

/** The changes of an address; what is not one is left out. */
export function parseEdits(text) {
  return (text ?? "").split("*").flatMap((each) => {
    const [, moved, rank, removed, graded, grade, cut] = EDIT.exec(each) ?? [];
    if (moved !== undefined) return [{ kind: "move", document: Number(moved), rank: Number(rank) }];
    if (removed !== undefined) return [{ kind: "remove", document: Number(removed) }];
    if (graded !== undefined)
      return [{ kind: "grade", document: Number(graded), grade: grade === undefined ? null : Number(grade) }];
    return cut !== undefined ? [{ kind: "cut", length: Number(cut) }] : [];
  });
}

/** The text of changes; undefined if there are none. */
export function editsText(edits) {
  const texts = edits.map(
    ({ kind, document, rank, grade, length }) =>
      ({
        move: `m${document}_${rank}`,
        remove: `x${document}`,
        grade: `g${document}_${grade ?? ""}`,
        cut: `c${length}`,
      })[kind],
  );
  return texts.join("*") || undefined;
}

/** {ranking, grades} after changes: the numbers of documents, best first, and the grades of all of them. */
export function applyEdits({ retrieved, grades }, edits) {
  let ranking = Array.from({ length: retrieved }, (_, i) => i);
  const changed = [...grades];
  for (const { kind, document, rank, grade, length } of edits) {
    if (kind !== "cut" && document >= grades.length) continue;
    if (kind === "move" || kind === "remove") ranking = ranking.filter((each) => each !== document);
    if (kind === "move") ranking.splice(Math.max(1, rank) - 1, 0, document);
    if (kind === "grade") changed[document] = grade;
    if (kind === "cut") ranking = ranking.slice(0, length);
  }
  return { ranking, grades: changed };
}

// Tables that can be sorted, and whose cells may say more.

import { button, change, el, shown, unseen } from "./dom.js";
import { hideTip, showTip, showTipBelow, tip } from "./tips.js";

const collator = new Intl.Collator(undefined, { numeric: true });

/** Rows by a column; undefined values come last either way. */
function sorted(rows, column, down) {
  if (!column) return [...rows];
  const sign = down ? -1 : 1;
  return rows
    .map((row) => [column.value(row), row])
    .sort(([x], [y]) => {
      const [gone, missing] = [x === null || x === undefined, y === null || y === undefined];
      if (gone || missing) return gone - missing;
      return (column.numeric ? x - y : collator.compare(String(x), String(y))) * sign;
    })
    .map(([, row]) => row);
}

/** A column of whole numbers. */
export function whole(title, value) {
  return { title, numeric: true, value, cell: (row) => value(row) ?? "–" };
}

/**
 * A table of rows. A column is {title, value(row), cell?(row), numeric?, key?, lowFirst?, tip?(row), help?,
 * className?(row), style?(row)}; `groups` are [title, columns] above the titles. `by` is the key of the column that
 * orders rows at first, and `onSort(key, down)` is called after another choice. `most` rows are shown until a person
 * asks for all.
 */
export function table(
  columns,
  rows,
  { label, by, down = true, onSort, most = Infinity, onAll, numbered, rowClass, groups, kind = "" } = {},
) {
  const body = el("tbody"),
    rest = el("p.note");
  const lines = new WeakMap(); // of the cells that say more; one listener for all of them
  const keyOf = ({ key, title }) => key ?? title;
  let current = columns.find((column) => keyOf(column) === by) ?? null;
  const cellOf = (row, column, i) => {
    const text = column.cell ?? (column.numeric ? (each) => shown(column.value(each)) : column.value);
    const cell = el(
      i ? "td" : "th",
      {
        class: `${column.numeric ? "number" : ""} ${column.className?.(row) ?? ""}`.trim(),
        scope: i ? null : "row",
        style: column.style?.(row),
        tabindex: column.tip ? -1 : null,
      },
      text(row),
    );
    if (column.tip) lines.set(cell, () => column.tip(row));
    return cell;
  };
  const built = new Map(); // rows that were shown before; another order moves them
  const lineOf = (row) => {
    const cells = () => columns.map((column, i) => cellOf(row, column, i));
    if (!built.has(row))
      built.set(row, el("tr", { class: rowClass?.(row) }, numbered && el("td.number.place"), cells()));
    return built.get(row);
  };
  const fill = () => {
    const order = sorted(rows, current, down),
      kept = order.slice(0, most).map(lineOf);
    if (numbered) kept.forEach((line, number) => (line.firstChild.textContent = number + 1));
    body.querySelector("[tabindex='0']")?.setAttribute("tabindex", -1);
    body.replaceChildren(...kept);
    body.querySelector("[tabindex]")?.setAttribute("tabindex", 0);
    const all = () => {
      most = Infinity;
      fill();
    };
    const more = button(`Show all ${order.length}`, onAll ?? all, { "data-key": "all-rows" });
    rest.replaceChildren(
      ...(kept.length < order.length ? [`${kept.length} of ${order.length} rows are shown. `, more] : []),
    );
  };
  const heads = columns.map((column) => el("th", { scope: "col", class: column.numeric ? "number" : "" }));
  const way = () => (down ? "descending" : "ascending");
  const mark = () => heads.forEach((head, i) => change(head, { "aria-sort": columns[i] === current && way() }));
  columns.forEach((column, i) => {
    const sort = () => {
      [current, down] = [column, current === column ? !down : Boolean(column.numeric) && !column.lowFirst];
      mark();
      fill();
      onSort?.(keyOf(column), down);
    };
    const name = column.title
      ? button(column.title, sort, { "data-key": `sort ${keyOf(column)}` })
      : unseen(column.key);
    heads[i].append(column.help ? tip(name, () => column.help) : name);
  });
  mark();
  fill();
  body.addEventListener("keydown", (event) => rove(event, body));
  body.addEventListener("pointermove", (event) => {
    const more = lines.get(event.target.closest("td, th"));
    more ? showTip(more(), event.clientX, event.clientY) : hideTip();
  });
  body.addEventListener("pointerleave", hideTip);
  body.addEventListener("focusout", hideTip);
  body.addEventListener("focusin", ({ target }) => lines.has(target) && showTipBelow(target, lines.get(target)));
  const groupOf = ([title, colspan]) =>
    el(title ? "th.group" : "td", { colspan, scope: title ? "colgroup" : null }, title);
  const head = [
    groups && el("tr", groups.map(groupOf)),
    el("tr", numbered && el("th.number.place", { scope: "col" }, "#"), heads),
  ];
  const region = { tabindex: 0, role: "region", "aria-label": label || "Table", "data-key": `table ${label ?? ""}` };
  const grid = el("table", label && el("caption", unseen(label)), el("thead", head), body);
  return el(`div.table${kind && `.${kind}`}`, el("div.scroll", region, grid), rest);
}

/** Arrow keys lead from one cell that says more to the next; the table is a single stop of the tab key. */
function rove(event, body) {
  const here = event.target.closest("td, th");
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (event.key === "Escape") hideTip();
  if (!here || event.target !== here || !step) return;
  const row = [...body.rows].indexOf(here.parentElement) + step[0];
  const next = body.rows[row]?.cells[here.cellIndex + step[1]];
  if (!next?.hasAttribute("tabindex")) return;
  event.preventDefault();
  here.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

/** A section of a document: a title, sentences, and a table. */
export function sectionOf({ title, sentences, table: content }) {
  const paragraphs = sentences.map((text) => el("p", text));
  return el("section", el("h2", title), paragraphs, content && cells(content, title));
}

/** A table whose cells have a text and a value to sort by. */
function cells({ headers, rows, best }, label) {
  const marked = new Set(best.map(([row, column]) => `${row} ${column}`));
  const columns = headers.map((title, column) => ({
    title,
    numeric: rows.every((row) => typeof row[column][1] !== "string"),
    value: ({ row }) => row[column][1],
    cell: ({ row, number }) => (marked.has(`${number} ${column}`) ? el("strong", row[column][0]) : row[column][0]),
  }));
  const numbered = rows.map((row, number) => ({ row, number }));
  return table(columns, numbered, { label });
}

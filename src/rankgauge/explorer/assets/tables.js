// Tables that can be sorted, and whose cells may say more.

import { el, shown, unseen } from "./dom.js";
import { hideTip, showTip, tip } from "./tips.js";

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

/**
 * A table of rows. A column is {title, value(row), cell?(row), numeric?, key?, lowFirst?, tip?(row), help?, className?(row)}.
 * `by` is the key of the column that orders rows at first; `onSort(key, down)` is called after another one was chosen.
 * Of more than `most` rows only the first are shown, until a person asks for all.
 */
export function table(
  columns,
  rows,
  {
    by = null,
    down = true,
    onSort = null,
    label = "",
    most = Infinity,
    onAll = null,
    numbered = false,
    rowClass = null,
  } = {},
) {
  const body = el("tbody"),
    rest = el("p.note");
  const lines = new WeakMap(); // of the cells that say more; one listener for all of them
  let current = columns.find((column) => (column.key ?? column.title) === by) ?? null;
  const cellOf = (row, column, i) => {
    const cell = el(
      i ? "td" : "th",
      {
        className: [column.numeric ? "number" : "", column.className?.(row) ?? ""].join(" ").trim(),
        scope: i ? undefined : "row",
      },
      column.cell ? column.cell(row) : column.numeric ? shown(column.value(row)) : column.value(row),
    );
    if (column.tip) {
      cell.tabIndex = -1;
      lines.set(cell, () => column.tip(row));
    }
    return cell;
  };
  const built = new Map(); // rows that were shown before; another order moves them
  const lineOf = (row) => {
    if (!built.has(row))
      built.set(
        row,
        el(
          "tr",
          { className: rowClass?.(row) ?? "" },
          numbered && el("td.number.place"),
          columns.map((column, i) => cellOf(row, column, i)),
        ),
      );
    return built.get(row);
  };
  const fill = () => {
    const order = sorted(rows, current, down);
    const kept = order.slice(0, most);
    const shownRows = kept.map(lineOf);
    if (numbered) shownRows.forEach((line, number) => (line.firstChild.textContent = number + 1));
    const stop = body.querySelector("[tabindex='0']");
    if (stop) stop.tabIndex = -1;
    body.replaceChildren(...shownRows);
    const first = body.querySelector("[tabindex]");
    if (first) first.tabIndex = 0;
    rest.replaceChildren();
    if (kept.length < order.length) {
      rest.append(
        `${kept.length} of ${order.length} rows are shown. `,
        el(
          "button",
          { "data-key": "all-rows", onclick: () => (onAll ? onAll() : ((most = Infinity), fill())) },
          `Show all ${order.length}`,
        ),
      );
    }
  };
  const heads = columns.map((column) => {
    const head = el("th", { scope: "col", className: column.numeric ? "number" : "" });
    const mark = () => {
      if (column === current) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    };
    const button = el(
      "button",
      {
        "data-key": `sort ${column.key ?? column.title}`,
        onclick: () => {
          [current, down] = [column, current === column ? !down : Boolean(column.numeric) && !column.lowFirst];
          for (const each of heads) each.mark();
          fill();
          onSort?.(column.key ?? column.title, down);
        },
      },
      column.title,
    );
    if (column.help) tip(button, () => column.help);
    head.append(button);
    mark();
    return Object.assign(head, { mark });
  });
  fill();
  body.addEventListener("keydown", (event) => rove(event, body));
  body.addEventListener("pointermove", (event) => {
    const more = lines.get(event.target.closest("td, th"));
    more ? showTip(more(), event.clientX, event.clientY) : hideTip();
  });
  body.addEventListener("pointerleave", hideTip);
  body.addEventListener("focusout", hideTip);
  body.addEventListener("focusin", ({ target }) => {
    if (!lines.has(target) || !target.matches(":focus-visible")) return; // a click shows it at the pointer
    const box = target.getBoundingClientRect();
    showTip(lines.get(target)(), box.left, box.bottom - 12);
  });
  return el(
    "div.table",
    el(
      "div.scroll",
      {
        tabIndex: 0,
        role: "region",
        "aria-label": label || "Table",
        "data-key": `table ${label}`,
      },
      el(
        "table",
        label && el("caption", unseen(label)),
        el("thead", el("tr", numbered && el("th.number.place", { scope: "col" }, "#"), heads)),
        body,
      ),
    ),
    rest,
  );
}

/** Arrow keys lead from one cell that says more to the next; the table is a single stop of the tab key. */
function rove(event, body) {
  const here = event.target.closest("td, th");
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (event.key === "Escape") hideTip();
  if (!here || event.target !== here || !step) return;
  const row = [...body.rows].indexOf(here.parentElement) + step[0],
    column = here.cellIndex + step[1];
  const next = body.rows[row]?.cells[column];
  if (!next || next.tabIndex < -1 || !next.hasAttribute("tabindex")) return;
  event.preventDefault();
  here.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

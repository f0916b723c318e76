// Tables that can be sorted.

import { el, shown } from "./dom.js";

/** A table of rows; a column is {title, value(row), cell?(row), numeric?}. */
export function table(columns, rows) {
  const body = el("tbody");
  let by = null, down = true;
  const fill = () => {
    const order = [...rows];
    if (by) {
      order.sort((a, b) => {
        const [x, y] = [by.value(a), by.value(b)];
        if (x === null || y === null) return (x === null) - (y === null); // undefined values come last
        return (by.numeric ? x - y : String(x).localeCompare(String(y), undefined, { numeric: true })) * (down ? -1 : 1);
      });
    }
    body.replaceChildren(...order.map((row) => el("tr", {}, columns.map((column) => el("td", { className: column.numeric ? "number" : "" }, column.cell ? column.cell(row) : column.numeric ? shown(column.value(row)) : column.value(row))))));
  };
  const heads = columns.map((column) => {
    const head = el("th", { scope: "col", className: column.numeric ? "number" : "" });
    head.append(el("button", { type: "button", on: { click: () => {
      [by, down] = [column, by === column ? !down : Boolean(column.numeric)];
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      fill();
    } } }, column.title));
    return head;
  });
  fill();
  return el("div", { className: "scroll", tabIndex: 0 }, el("table", {}, el("thead", {}, el("tr", {}, heads)), body));
}

// A heat map: rows by columns, drawn on a canvas, with pointer and keys.

import { change, el } from "./dom.js";
import { gradient } from "./colours.js";
import { pointing } from "./plot.js";
import { showTip } from "./tips.js";

const ROW = 18;

/**
 * A heat map. `rows` and `columns` are {name, note?, href?}; `value(r, c)` is a number or null, `colour(value)` its
 * colour, `lines(r, c)` the tooltip; `open(r, c)` is called by a click or Enter; `marked` is a row to point out.
 */
export function heatmap({ label, rows, columns, value, colour, lines, open, marked = -1 }) {
  const room = Math.min(innerWidth, 1440) - (innerWidth > 1100 ? 600 : 160); // beside names, and a plot on wide screens
  const wide = Math.max(11, Math.min(64, Math.floor(room / Math.max(columns.length, 1))));
  const canvas = el("canvas", {
    tabindex: 0,
    role: "application",
    "aria-roledescription": "heat map",
    "aria-label": `${label}. Arrow keys move from cell to cell, Enter opens one.`,
    "data-key": "heat map",
  });
  const cursor = el("div.cursor", { hidden: true, "aria-hidden": "true" }),
    spoken = el("p.unseen", { "aria-live": "polite" });
  const paint = () => {
    const ratio = window.devicePixelRatio || 1,
      [width, height] = [columns.length * wide, rows.length * ROW];
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    change(canvas, { style: { width: `${width}px`, height: `${height}px` } });
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const ink = getComputedStyle(document.documentElement).getPropertyValue("--soft");
    rows.forEach((_, r) =>
      columns.forEach((__, c) => {
        const each = value(r, c),
          [x, y] = [c * wide, r * ROW];
        if (each === null) {
          pen.strokeStyle = ink;
          pen.beginPath();
          for (let at = 2; at < wide - 2; at += 4) {
            pen.moveTo(x + at, y + ROW - 4);
            pen.lineTo(x + Math.min(at + 4, wide - 2), y + 4);
          }
          pen.stroke();
        } else {
          pen.fillStyle = colour(each);
          pen.fillRect(x, y, wide - 1, ROW - 1);
        }
      }),
    );
  };
  let at = [0, 0];
  const point = (r, c) => {
    at = [r, c];
    cursor.hidden = false;
    const style = { left: `${c * wide}px`, top: `${r * ROW}px`, width: `${wide - 1}px`, height: `${ROW - 1}px` };
    change(cursor, { style });
  };
  const cellOf = (event) => {
    const box = canvas.getBoundingClientRect(),
      r = Math.floor((event.clientY - box.top) / ROW),
      c = Math.floor((event.clientX - box.left) / wide);
    return r >= 0 && r < rows.length && c >= 0 && c < columns.length ? [r, c] : null;
  };
  pointing(canvas, cellOf, {
    lines: (cell) => lines(...cell),
    mark: (cell) => (cell ? point(...cell) : (cursor.hidden = document.activeElement !== canvas)),
    open: (cell) => open(...cell),
  });
  const speak = () => {
    point(...at);
    const [heads, names] = [map.querySelector(".columns").offsetHeight, map.querySelector(".rows").offsetWidth];
    cursor.style.setProperty("scroll-margin", `${heads}px 0 0 ${names}px`); // these stay in sight, above the cells
    cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
    const box = cursor.getBoundingClientRect();
    showTip(lines(...at), box.left, box.bottom);
    spoken.textContent = lines(...at).filter(Boolean).join(". ");
  };
  canvas.addEventListener("focus", () => canvas.matches(":focus-visible") && rows.length && columns.length && speak());
  canvas.addEventListener("keydown", (event) => {
    const [r, c] = at;
    const to = {
      ArrowUp: [r - 1, c],
      ArrowDown: [r + 1, c],
      ArrowLeft: [r, c - 1],
      ArrowRight: [r, c + 1],
      Home: [r, 0],
      End: [r, columns.length - 1],
      PageUp: [r - 10, c],
      PageDown: [r + 10, c],
    }[event.key];
    if (event.key === "Enter") {
      event.preventDefault();
      open(r, c);
    }
    if (!to) return;
    event.preventDefault();
    at = [Math.max(0, Math.min(rows.length - 1, to[0])), Math.max(0, Math.min(columns.length - 1, to[1]))];
    speak();
  });
  const nameOf = ({ name, note, href }, i, list) => {
    const title = note ? `${name}: ${note}` : name;
    const isRow = list === rows,
      [first, second] = isRow && note ? [note, name] : [name]; // a query says more than its number
    const attributes = { class: isRow && i === marked ? "marked" : null, title, "data-name": name };
    return el("li", attributes, el(href ? "a" : "span", { href }, first), second && el("span.note", second));
  };
  const map = el(
    "div.heat.scroll",
    { "data-key": "heat scroll", style: { "--wide": `${wide}px`, "--row": `${ROW}px` } },
    el("div.corner"),
    el("ul.columns", columns.map(nameOf)),
    el("ul.rows", rows.map(nameOf)),
    el("div.cells", canvas, cursor),
  );
  paint();
  return el("div", map, spoken);
}

/** The legend of a scale of colours, from `low` to `high`. */
export function legendOf(colour, low, high, [left, right], title) {
  return el(
    "p.legend",
    el("span", title),
    el("span.number", left),
    el("span.ramp", { "aria-hidden": "true", style: { background: gradient(colour, low, high) } }),
    el("span.number", right),
    el("span.hatched", { "aria-hidden": "true" }),
    el("span", "no value"),
  );
}

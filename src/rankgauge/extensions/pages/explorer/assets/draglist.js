// Moving rows of a list with the pointer.

import { change, el } from "./dom.js";

/**
 * Let rows be dragged to a rank of `list`: `drop(document, rank)` is called where one is let go, and `over(document,
 * rank)` on its way, with no rank where it would stay.
 */
export function draggable(area, list, rowHeight, drop, over = () => {}) {
  let drag = null;
  const marker = el("div.drop-marker");
  /** The rank of the row at a height; a row that is not in the list can also go to its end. */
  const rankAt = (y) => {
    const rows = list.querySelectorAll(".doc").length;
    const rank = Math.floor((y - list.getBoundingClientRect().top) / rowHeight) + 1;
    return Math.max(1, Math.min(rank, drag.from ? rows : rows + 1));
  };
  const pass = (rank) => {
    const to = rank === drag.from ? null : rank;
    if (to !== drag.to) over(Number(drag.row.dataset.number), to);
    Object.assign(drag, { rank, to });
  };
  const stop = (dropped) => {
    if (!drag) return;
    if (dropped !== true) pass(null);
    drag.row.classList.remove("dragged");
    marker.remove();
    drag = null;
  };
  area.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest(".handle"),
      row = handle?.closest(".doc");
    if (!row || event.button !== 0) return;
    event.preventDefault();
    drag = { row, id: event.pointerId, from: Number(row.dataset.rank), rank: null, to: null };
    area.setPointerCapture(event.pointerId);
  });
  area.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const scroll = list.closest(".list-scroll"),
      box = scroll.getBoundingClientRect();
    const inside =
      event.clientX > box.left - 40 &&
      event.clientX < box.right + 40 &&
      event.clientY > box.top - 40 &&
      event.clientY < box.bottom + 20;
    pass(inside ? rankAt(event.clientY) : null);
    drag.row.classList.add("dragged");
    if (drag.rank === null) return marker.remove();
    const rows = drag.from && drag.rank > drag.from ? drag.rank : drag.rank - 1;
    change(marker, { style: { top: `${rows * rowHeight - 1}px` } });
    if (!marker.isConnected) list.append(marker);
    if (event.clientY < box.top + 24) scroll.scrollTop -= rowHeight;
    if (event.clientY > box.bottom - 24) scroll.scrollTop += rowHeight;
    return undefined;
  });
  area.addEventListener("pointerup", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const { row, to } = drag;
    stop(to !== null);
    if (to !== null) drop(Number(row.dataset.number), to);
  });
  area.addEventListener("pointercancel", stop);
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") stop();
  });
}

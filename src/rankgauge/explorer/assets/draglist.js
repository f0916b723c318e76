// Moving rows of a list with the pointer.

/** Let rows be dragged to a rank of `list`: `drop(document, rank)` is called where one is let go. */
export function draggable(area, list, rowHeight, drop) {
  let drag = null;
  const marker = document.createElement("div");
  marker.className = "drop-marker";
  const rankAt = (y) => {
    const box = list.getBoundingClientRect();
    const rank = Math.round((y - box.top) / rowHeight) + 1;
    return Math.max(1, Math.min(rank, list.querySelectorAll(".doc").length + 1));
  };
  const stop = () => {
    drag?.row.classList.remove("dragged");
    marker.remove();
    drag = null;
  };
  area.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest(".handle"), row = handle?.closest(".doc");
    if (!row || event.button !== 0) return;
    event.preventDefault();
    drag = { row, id: event.pointerId, rank: null };
    area.setPointerCapture(event.pointerId);
  });
  area.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const box = list.getBoundingClientRect();
    const inside = event.clientX > box.left - 40 && event.clientX < box.right + 40;
    drag.rank = inside ? rankAt(event.clientY) : null;
    drag.row.classList.add("dragged");
    if (drag.rank === null) return marker.remove();
    marker.style.setProperty("top", `${(drag.rank - 1) * rowHeight - 1}px`);
    if (!marker.isConnected) list.append(marker);
    const scroll = list.closest(".list-scroll"), edge = scroll?.getBoundingClientRect();
    if (edge && event.clientY < edge.top + 24) scroll.scrollTop -= rowHeight;
    if (edge && event.clientY > edge.bottom - 24) scroll.scrollTop += rowHeight;
    return undefined;
  });
  area.addEventListener("pointerup", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const { row, rank } = drag;
    stop();
    if (rank === null) return;
    const from = Number(row.dataset.rank) || Infinity; // a row that is in the list leaves its rank first
    const to = rank > from ? rank - 1 : rank;
    if (to !== from) drop(Number(row.dataset.number), to);
  });
  area.addEventListener("pointercancel", stop);
  area.addEventListener("keydown", (event) => { if (event.key === "Escape" && drag) stop(); });
}

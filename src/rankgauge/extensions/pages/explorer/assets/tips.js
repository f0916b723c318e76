// One tooltip for the page: beside the pointer, or below what has the focus.

import { el } from "./dom.js";

const tipBox = el("div.tip", { id: "tip", role: "tooltip", hidden: true });
document.body.append(tipBox);

/** Show lines at a place of the window; the first is the heading. */
export function showTip(lines, x, y) {
  tipBox.replaceChildren(...lines.filter(Boolean).map((line, i) => el(i ? "div" : "strong", line)));
  tipBox.hidden = false;
  const { width, height } = tipBox.getBoundingClientRect();
  tipBox.style.setProperty("left", `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`);
  tipBox.style.setProperty("top", `${y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18}px`);
}

/** Show lines below an element that has got the focus by a key; a click shows them at the pointer. */
export function showTipBelow(element, lines) {
  if (!element.matches(":focus-visible")) return;
  const box = element.getBoundingClientRect();
  showTip(lines(), box.left, box.bottom - 12);
}

export function hideTip() {
  tipBox.hidden = true;
}

/** Give an element a tooltip: `lines()` when the pointer or the focus comes. */
export function tip(element, lines) {
  element.addEventListener("pointermove", (event) => showTip(lines(), event.clientX, event.clientY));
  element.addEventListener("pointerleave", hideTip);
  element.addEventListener("blur", hideTip);
  element.addEventListener("focus", () => showTipBelow(element, lines));
  return element;
}

addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
addEventListener("scroll", hideTip, true);
addEventListener("hashchange", hideTip);

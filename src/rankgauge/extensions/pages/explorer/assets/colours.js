// Scales of colours, in both modes: from little to much, and from worse over equal to better.

export const darkMode = matchMedia("(prefers-color-scheme: dark)");

const SEQUENTIAL = { light: ["#e4ecf4", "#6aaed6", "#0a3a66"], dark: ["#1c2c3a", "#2f7fb5", "#c4e6fb"] };
const DIVERGING = {
  light: ["#b34700", "#f4a86c", "#f3f3f1", "#6fb1dc", "#0a4a7d"],
  dark: ["#ffb066", "#8a4d16", "#20272f", "#1f628f", "#86cbf7"],
};
/** Colours of runs (Okabe and Ito), which everybody can distinguish. */
export const RUN_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f"];

function mixed(stops, share) {
  const place = Math.max(0, Math.min(1, share)) * (stops.length - 1),
    i = Math.min(Math.floor(place), stops.length - 2);
  const part = (stop, at) => parseInt(stop.slice(at, at + 2), 16);
  return `rgb(${[1, 3, 5].map((at) => Math.round(part(stops[i], at) + (place - i) * (part(stops[i + 1], at) - part(stops[i], at)))).join(" ")})`;
}

const mode = () => (darkMode.matches ? "dark" : "light");

/** The colour of a share from 0 to 1. */
export function sequential(share) {
  return mixed(SEQUENTIAL[mode()], share);
}

/** The colour of a difference from -1, worse, to 1, better. */
export function diverging(share) {
  return mixed(DIVERGING[mode()], (share + 1) / 2);
}

/** The colours of a scale as a gradient of CSS. */
export function gradient(colour, low, high) {
  return `linear-gradient(to right, ${[0, 1, 2, 3, 4, 5, 6].map((i) => colour(low + ((high - low) * i) / 6)).join(", ")})`;
}

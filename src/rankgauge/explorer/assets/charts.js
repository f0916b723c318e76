// Figures in the page's colours.

export const darkMode = matchMedia("(prefers-color-scheme: dark)");

/** Draw a Vega-Lite specification; no links to other sites, no code from text. */
export async function draw(place, spec) {
  const styles = getComputedStyle(document.documentElement);
  const ink = styles.getPropertyValue("--ink"),
    line = styles.getPropertyValue("--line");
  const text = { labelColor: ink, titleColor: ink };
  const { view } = await vegaEmbed(place, spec, {
    ast: true,
    actions: false,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
    logLevel: 1, // errors
    renderer: "svg",
    config: {
      background: "transparent",
      axis: { ...text, gridColor: line, domainColor: line, tickColor: line },
      legend: text,
      header: text,
      title: { color: ink, subtitleColor: ink },
      view: { stroke: line },
    },
  });
  return view;
}

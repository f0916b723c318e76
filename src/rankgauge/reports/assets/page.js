// Draws the figures of the page, and makes its tables sortable and searchable. Text from files is only inserted as text.

const data = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Options that fit a figure to the page: its colours, no links to other sites, no code from text. */
function options() {
  const ink = getComputedStyle(document.body).color;
  const line = getComputedStyle(document.documentElement).getPropertyValue("--line");
  const text = { labelColor: ink, titleColor: ink };
  return {
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
  };
}

async function draw(place) {
  const { datasets, ...themes } = data.figures[Number(place.dataset.figure)];
  const spec = { ...(dark.matches ? themes.dark : themes.light), datasets };
  const { view } = await vegaEmbed(place, spec, { ...options(), config: { background: "transparent" } });
  place.setAttribute("data-drawn", "");
  if ("selected" in datasets && data.effort) {
    const panel = document.querySelector(`[data-panel="${place.dataset.figure}"]`);
    panel.replaceChildren();
    await openPanel(data.effort, panel, view, place);
  }
}

async function drawAll() {
  for (const place of document.querySelectorAll("[data-figure]")) {
    try {
      await draw(place);
    } catch (error) {
      place.textContent = `This figure could not be drawn: ${error.message}`;
      console.error(error);
    }
  }
  document.documentElement.setAttribute("data-ready", "");
}

/** Sort the rows of a table by a column; the next click reverses the order. Numbers are sorted from the
 * largest, undefined values come last, and ties keep their order. */
function sort(table, header) {
  const numeric = header.classList.contains("number");
  const [first, second] = numeric ? ["descending", "ascending"] : ["ascending", "descending"];
  const direction = header.getAttribute("aria-sort") === first ? second : first;
  for (const other of header.parentNode.children) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", direction);
  const sign = direction === "ascending" ? 1 : -1;
  const column = header.cellIndex;
  const value = (row) => (numeric ? Number.parseFloat(row.cells[column].dataset.value) : row.cells[column].textContent);
  const rows = [...table.tBodies[0].rows].map((row) => [row, value(row)]);
  rows.sort(([, a], [, b]) => {
    if (!numeric) return sign * a.localeCompare(b, undefined, { numeric: true });
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return sign * (a - b);
  });
  table.tBodies[0].append(...rows.map(([row]) => row));
}

function makeSortable(table) {
  for (const header of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => sort(table, header));
  }
}

/** Show only the rows that contain all words of the search. */
function makeFilterable(table) {
  const tools = document.createElement("div");
  tools.className = "tools";
  const label = document.createElement("label");
  label.textContent = "Show rows with ";
  const input = document.createElement("input");
  input.type = "search";
  const count = document.createElement("span");
  count.className = "count";
  count.setAttribute("role", "status");
  label.append(input);
  tools.append(label, count);
  table.closest(".scroll").before(tools);
  const rows = [...table.tBodies[0].rows];
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length} rows`;
  };
  input.addEventListener("input", apply);
  apply();
}

for (const table of document.querySelectorAll("table[data-sortable]")) makeSortable(table);
for (const table of document.querySelectorAll("table[data-filterable]")) makeFilterable(table);
dark.addEventListener("change", drawAll);
window.rankgauge = { curves: (depth) => allCurves(data.effort, depth) };
await drawAll();

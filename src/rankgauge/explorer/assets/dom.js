// Elements of the page. Text from files is only ever inserted as text.

/** An element with properties and children; `data-`, `aria-` and `role` are attributes, `on` has listeners. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (/^(data-|aria-|role$|for$|scope$|colspan$)/.test(name))
      element.setAttribute(name, value === true ? "" : String(value));
    else if (name === "style")
      for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each); // allowed by the policy: not an attribute
    else element[name] = value;
  }
  element.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== false)
      .map((child) => (child instanceof Node ? child : String(child))),
  );
  return element;
}

/** An element of a drawing; everything is an attribute, but `on` and `style`. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "style") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else element.setAttribute(name, String(value));
  }
  element.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== false)
      .map((child) => (child instanceof Node ? child : String(child))),
  );
  return element;
}

/** Text for screen readers alone. */
export function unseen(text) {
  return el("span", { className: "unseen" }, text);
}

/** A control under its name: {label, control, hint}. */
export function field(label, control, hint = "") {
  return el(
    "label",
    { className: "field" },
    el("span", { className: "name" }, label),
    control,
    hint && el("span", { className: "hint" }, hint),
  );
}

/** A choice between [value, text] pairs. */
export function choose(label, options, value, onChange, { key } = {}) {
  const select = el(
    "select",
    { "data-key": key, on: { change: () => onChange(select.value) } },
    options.map(([each, text]) => el("option", { value: each, selected: each === value }, text)),
  );
  return field(label, select);
}

/** A number for people: four places, or a dash where it is undefined. */
export function shown(value, places = 4) {
  return value === null || value === undefined ? "–" : value.toFixed(places);
}

/** A difference for people, with its sign. */
export function signed(value, places = 4) {
  return value === null || value === undefined ? "–" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(places)}`;
}

// Elements of the page. Text from files is only ever inserted as text.

const ATTRIBUTE = /^(data-|aria-|role$|for$|scope$|colspan$)/;
const attributes = new Map(); // whether a name is one; there are a few names, and thousands of elements

function isAttribute(name) {
  let known = attributes.get(name);
  if (known === undefined) attributes.set(name, (known = ATTRIBUTE.test(name)));
  return known;
}

/** Append children: nodes, texts, lists of them; nothing for null, undefined and false. */
function appendTo(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) appendTo(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

function listenAndStyle(element, name, value) {
  if (name === "on") for (const event in value) element.addEventListener(event, value[event]);
  else if (name === "style")
    for (const key in value) element.style.setProperty(key, value[key]); // allowed by the policy: not an attribute
  else return false;
  return true;
}

/** An element with properties and children; `data-`, `aria-` and `role` are attributes, `on` has listeners. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const name in properties) {
    const value = properties[name];
    if (value === undefined || value === null || value === false || listenAndStyle(element, name, value)) continue;
    if (isAttribute(name)) element.setAttribute(name, value === true ? "" : String(value));
    else element[name] = value;
  }
  appendTo(element, children);
  return element;
}

/** An element of a drawing; everything is an attribute, but `on` and `style`. */
export function svg(tag, properties = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const name in properties) {
    const value = properties[name];
    if (value === undefined || value === null || value === false || listenAndStyle(element, name, value)) continue;
    element.setAttribute(name, String(value));
  }
  appendTo(element, children);
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
    options.map(([each, text]) => el("option", { value: each }, text)),
  );
  if (options.some(([each]) => each === value)) select.value = value; // once, not for each of hundreds
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

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

/** Give an element classes, properties by `set(name, value)`, a style and children; properties may be left out. */
function filled(element, classes, content, set) {
  const [first, ...others] = content;
  const given = first !== null && typeof first === "object" && !Array.isArray(first) && !(first instanceof Node);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(given ? first : {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "style")
      for (const key in value) element.style.setProperty(key, value[key]); // allowed by the policy: not an attribute
    else set(name, value);
  }
  appendTo(element, given ? others : content);
  return element;
}

/**
 * An element by its tag and classes, such as "p.hint", with properties and children; `data-`, `aria-` and `role` are
 * attributes. A button does nothing but what its `onclick` does.
 */
export function el(tag, ...content) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (name === "button") element.type = "button";
  return filled(element, classes, content, (property, value) => {
    if (isAttribute(property)) element.setAttribute(property, value === true ? "" : String(value));
    else element[property] = value;
  });
}

/** An element of a drawing, as by `el`; everything is an attribute. */
export function svg(tag, ...content) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  return filled(element, classes, content, (attribute, value) => element.setAttribute(attribute, String(value)));
}

/** Text for screen readers alone. */
export function unseen(text) {
  return el("span.unseen", text);
}

/** A control under its name: {label, control, hint}. */
export function field(label, control, hint = "") {
  return el("label.field", el("span.name", label), control, hint && el("span.hint", hint));
}

/** A choice between [value, text] pairs; its key tells it from other controls. */
export function choose(label, key, options, value, onChange) {
  const select = el(
    "select",
    { "data-key": key, onchange: () => onChange(select.value) },
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

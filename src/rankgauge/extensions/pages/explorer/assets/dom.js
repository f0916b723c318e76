// Elements of the page. Text from files is only ever inserted as text.

const REFUSED = /^(on|src|action|formaction|xlink)/i; // attributes that run or load something

/** Set an attribute, a style {property: value}, or a listener such as `onclick`; null, undefined, false remove it. */
function set(element, name, value) {
  if (value === undefined || value === null || value === false) element.removeAttribute(name);
  else if (typeof value === "function") element.addEventListener(name.slice(2), value);
  else if (name === "style")
    for (const key in value) element.style.setProperty(key, value[key]); // allowed by the policy: not an attribute
  else if (name === "value")
    element.value = value; // which puts the caret at the end
  else if (REFUSED.test(name) || (/^href$/i.test(name) && !/^(#|blob:)/.test(value)))
    throw new TypeError(`no element of this page may have ${name}="${value}"`);
  else element.setAttribute(name, value === true ? "" : value);
}

/** Set some attributes of an element that is there. */
export function change(element, attributes) {
  for (const name in attributes) set(element, name, attributes[name]);
}

/** Fill a new element; attributes, if any, are a plain object before the children. */
function filled(element, classes, content) {
  const [first] = content;
  const given = first !== null && typeof first === "object" && !Array.isArray(first) && !(first instanceof Node);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  if (given) change(element, first);
  for (const child of (given ? content.slice(1) : content).flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    const isData = typeof child === "object" && !(child instanceof Node);
    if (isData) throw new TypeError("no element has an object as a child");
    element.append(child);
  }
  return element;
}

/**
 * An element by its tag and classes, such as "p.hint", with attributes and children: nodes, texts, numbers, lists of
 * them. No attribute is markup, runs or loads anything; a button does what its `onclick` does.
 */
export function el(tag, ...content) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (name === "button") element.type = "button";
  return filled(element, classes, content);
}

/** An element of a drawing, as by `el`. */
export function svg(tag, ...content) {
  const [name, ...classes] = tag.split(".");
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), classes, content);
}

/** Whether a key is pressed with another that changes its meaning. */
export function withModifier(event) {
  return event.altKey || event.ctrlKey || event.metaKey;
}

/** Do something once an element is part of the page and was painted. */
export function oncePainted(element, act) {
  const seen = new ResizeObserver(() => {
    if (!element.isConnected) return;
    seen.disconnect();
    setTimeout(act); // after the frame, which is painted next
  });
  seen.observe(element);
}

/** A list with an item for each of these contents. */
export function listOf(tag, contents, attributes = {}) {
  const items = contents.map((content) => el("li", content));
  return el(tag, attributes, items);
}

/** What went wrong, which screen readers say at once. */
export function alertOf(message) {
  return el("p.error", { role: "alert" }, message);
}

/** An element filled by `show(asked)` with what `contentOf(asked)` promises, or its error; the latest call counts. */
export function filledBy(element, contentOf) {
  let latest = null;
  async function show(asked) {
    const mine = contentOf(asked).catch(({ message }) => [alertOf(message)]);
    latest = mine;
    const content = await mine;
    if (mine === latest) element.replaceChildren(...content);
  }
  return { element, show };
}

/** Text for screen readers alone. */
export function unseen(text) {
  return el("span.unseen", text);
}

/** A button that does something. */
export function button(text, onclick, attributes = {}) {
  return el("button", { onclick, ...attributes }, text);
}

/** The button that sends a form. */
export function submitButton(text) {
  return el("button", { type: "submit" }, text);
}

/** A control under its name. */
export function field(label, control) {
  return el("label.field", el("span.name", label), control);
}

/** A list to choose from: values, or pairs of a value and its text. */
export function select(values, value, attributes = {}) {
  const options = values.map((each) => [each].flat()).map(([each, text = each]) => el("option", { value: each }, text));
  const list = el("select", attributes, options);
  if (options.some((option) => option.value === value)) list.value = value; // once, not for each of hundreds
  return list;
}

/** A choice as by `select` under its name; its key tells it from other controls. */
export function choose(label, key, options, value, onChange) {
  return field(label, select(options, value, { "data-key": key, onchange: ({ target }) => onChange(target.value) }));
}

/** A number for people: four places, or a dash where it is undefined. */
export function shown(value, places = 4) {
  return value === null || value === undefined ? "–" : value.toFixed(places);
}

/** A difference for people, with its sign. */
export function signed(value, places = 4) {
  return value === null || value === undefined ? "–" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(places)}`;
}

/** A number of things in words: 1 run, 2,000 runs. */
export function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Whether a difference is for better or worse: the class of its element. */
export function effectOf(difference, direction) {
  return ["worse", "", "better"][1 + Math.sign((difference ?? 0) * (direction || 1))];
}

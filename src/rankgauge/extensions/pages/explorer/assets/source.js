// Where answers come from: the server of the page, or the page itself.

const given = JSON.parse(document.getElementById("data").textContent);

export const live = given.live; // the name of the session that a server answers for; null in a saved page

/** Where a saved page opens, if it was saved there. */
export const openingAddress = given.address ?? "";

/** Sentences on what a saved page does not hold. */
export const leftOut = given.left_out ?? [];

const GONE =
  "The explorer that served this page no longer runs, so nothing is computed or recorded. Start `rankgauge explore` again, and open the address that it prints.";

/** The same text for the same request, whatever the order of its parameters. */
function keyOf(view, parameters) {
  const names = Object.keys(parameters)
    .filter((name) => parameters[name] !== undefined)
    .sort();
  return JSON.stringify([view, names.map((name) => [name, parameters[name]])]);
}

let further = {}; // what every request has: whether judgments since the start are to count

/** Let answers count the judgments of so many decisions since the start; null for those of the start alone. */
export function judgeBy(decisions) {
  further = decisions ? { decisions } : {};
}

const kept = new Map([[keyOf("session", {}), Promise.resolve(given.session)]]);
const bundled = new Map(); // request -> {bundle, place}: answers that are compressed until one of them is asked for
for (const bundle of given.bundles ?? [])
  bundle.requests.forEach(([view, parameters], place) => bundled.set(keyOf(view, parameters), { bundle, place }));

async function unbundled({ bundle, place }) {
  bundle.answers ??= decompressed(bundle.data);
  return (await bundle.answers)[place];
}

/** The bytes that a text in base 64 stands for. */
export function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

async function decompressed(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** Whether an answer can be had: always from a server; a saved page has only some. */
export function has(view, parameters = {}) {
  const key = keyOf(view, parameters);
  return live || kept.has(key) || bundled.has(key);
}

let recorded = null; // requests, while these are recorded

/** What is asked while some work is done, as {view, parameters}. */
export async function requestsOf(work) {
  recorded = [];
  await work().finally(() => {
    [recorded, work] = [null, recorded];
  });
  return work;
}

/** The answer of a view; the same request is sent once. */
export function ask(view, parameters = {}) {
  recorded?.push({ view, parameters });
  const key = keyOf(view, { ...parameters, ...further });
  if (!kept.has(key)) {
    if (bundled.has(key)) return unbundled(bundled.get(key));
    if (!live) return Promise.reject(new Error("This saved page does not hold what you asked for."));
    const answer = send("GET", view, parameters);
    answer.catch(() => kept.delete(key));
    kept.set(key, answer);
  }
  return kept.get(key);
}

/** An answer that may be another one the next time: what changes something, or follows a change. */
export async function send(method, view, parameters = {}) {
  const text = JSON.stringify({ ...parameters, ...further });
  const headers = { "Content-Type": "application/json", "Explorer-Session": live };
  const sent =
    method === "GET"
      ? fetch(`api/${view}?q=${encodeURIComponent(text)}`, { headers })
      : fetch(`api/${view}`, { method, body: text, headers });
  const response = await sent.catch(() => {
    throw new Error(GONE);
  });
  if (response.status === 403) location.reload(); // another server has taken its place
  const answer = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  if (!response.ok) throw new Error(answer.error ?? `the server answered ${response.status}`);
  return answer;
}

// rankgauge in Python, away from the page: questions [id, name, arguments] come in, answers {id, ...} go out.

import { loadPyodide } from "./pyodide/pyodide.mjs";

async function load() {
  const say = (text, share) => postMessage({ loading: text, share });
  const got = (name) =>
    fetch(name).then((response) => (response.ok ? response : Promise.reject(new Error(`${name}: ${response.status}`))));
  say("Loading Python (13 MB, once)", 0.1);
  const files = Promise.all([got("rankgauge.zip"), got("session.py"), got("config.json")]);
  const python = await loadPyodide();
  say("Loading NumPy and rankgauge", 0.7);
  const [library, session, config] = await files;
  const { packages } = await config.json();
  if (packages.length) await python.loadPackage(packages);
  python.FS.writeFile("/rankgauge.zip", new Uint8Array(await library.arrayBuffer()));
  python.runPython("import sys; sys.path.insert(0, '/rankgauge.zip')");
  python.runPython(await session.text());
  say("", 1);
  return python.globals.get("answer");
}

const ready = load();
ready.catch((error) => postMessage({ failed: `Python could not be loaded: ${error.message}` }));

onmessage = async ({ data: [id, name, values] }) => {
  try {
    const ask = await ready;
    postMessage({ id, ...JSON.parse(ask(name, ...values)) });
  } catch (error) {
    postMessage({ id, error: error.message.trim().split("\n").at(-1) }); // the last line of a traceback
  }
};

// What scrolls can be reached by keys, and the landmarks around buttons that copy code have names.
const mend = () => {
  for (const each of document.querySelectorAll("pre > code, .md-typeset__scrollwrap, .formula"))
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
  document.querySelectorAll(".md-code__nav").forEach((each, place) => (each.ariaLabel = `Code ${place + 1}`));
};
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
addEventListener("resize", mend);
mend();

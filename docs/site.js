/* What scrolls sideways can be scrolled by keyboard. */
addEventListener("load", () => setTimeout(() => {
  for (const part of document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre, .md-typeset pre > code"))
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
}, 100));

// The fonts of formulas, asked for before the style sheet is there to name them: no line moves when
// they arrive. Pages from disk may not ask ahead, and need not.
if (location.protocol !== "file:") {
  const root = document.documentElement.dataset.content_root;
  for (const name of ["Main-Regular", "Math-Italic", "AMS-Regular", "Size1-Regular", "Size2-Regular"]) {
    const link = document.createElement("link");
    link.rel = "preload";
    link.as = "font";
    link.crossOrigin = "anonymous";
    link.href = `${root}_static/katex/fonts/KaTeX_${name}.woff2`;
    document.head.append(link);
  }
}

// The colour mode that the reader has chosen, before the page is painted.
{
  const mode = localStorage.getItem("mode") || "auto";
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.mode = mode;
  document.documentElement.dataset.theme = mode === "auto" ? (dark ? "dark" : "light") : mode;
}

// The colour mode that the reader has chosen, before the page is painted; paper is light.
{
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const mode = localStorage.getItem("mode") || "auto";
    root.dataset.mode = mode;
    root.dataset.theme = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
  };
  apply();
  addEventListener("beforeprint", () => (root.dataset.theme = "light"));
  addEventListener("afterprint", apply);
}

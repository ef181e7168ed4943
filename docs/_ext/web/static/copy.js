// A button at every listing and block that copies its source; outputs have none.
{
  const WORDS = {
    en: {
      python: "Copy as Python",
      latex: "Copy as LaTeX",
      bibtex: "Copy as BibTeX",
      other: "Copy",
      done: "Copied",
      failed: "Could not copy: select it and copy by hand",
    },
    zh: {
      python: "复制 Python 代码",
      latex: "复制 LaTeX 源码",
      bibtex: "复制 BibTeX 条目",
      other: "复制",
      done: "已复制",
      failed: "未能复制，请选中后手动复制",
    },
  };
  const words = WORDS[document.documentElement.lang.slice(0, 2)] ?? WORDS.en;
  const ICON =
    '<svg viewBox="0 0 24 24" aria-hidden="true"><rect x="8" y="8" width="12" height="12" rx="2"/>' +
    '<path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2"/></svg>';

  // Read by screen readers when it changes.
  const status = document.createElement("p");
  status.className = "copy-status";
  status.setAttribute("role", "status");
  document.body.append(status);

  /** The text of a source; of a session of the interpreter only what was typed in. */
  function textOf(source) {
    const rows = source.textContent.replace(/\n$/, "").split("\n");
    const typed = rows.filter((row) => /^(>>>|\.\.\.)( |$)/.test(row));
    return (typed.length ? typed.map((row) => row.slice(4)) : rows).join("\n") + "\n";
  }

  /** Copy a text; pages from disk may have no clipboard, but a selection can be copied there too. */
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea");
      area.className = "copy-area";
      area.value = text;
      document.body.append(area);
      area.select();
      const copied = document.execCommand("copy");
      area.remove();
      return copied;
    }
  }

  /** What a source is, by the class in which Sphinx notes the language of a listing. */
  function labelOf(source) {
    if (source.matches(".pcode-source")) return words.latex;
    const listing = source.closest("[class*='highlight-']");
    const [, language] = listing?.className.match(/highlight-(\w+)/) ?? [];
    return words[{ ipython3: "python", pycon: "python" }[language] ?? language] ?? words.other;
  }

  let takeBack = () => {}; // what is shown of the last click
  let timer = 0;

  /** Show for two seconds what became of a click. */
  function answer(button, label, copied) {
    clearTimeout(timer);
    takeBack();
    button.dataset.tip = status.textContent = copied ? words.done : words.failed;
    button.classList.toggle("is-copied", copied);
    takeBack = () => {
      button.classList.remove("is-copied");
      button.dataset.tip = label;
      status.textContent = "";
    };
    timer = setTimeout(takeBack, 2000);
  }

  function addButton(source) {
    const button = document.createElement("button");
    const label = labelOf(source);
    button.type = "button";
    button.className = "copy-button";
    button.innerHTML = ICON;
    button.setAttribute("aria-label", label);
    button.dataset.tip = label;
    button.addEventListener("click", async () => {
      const copied = await copy(textOf(source));
      button.focus({ preventScroll: true });
      answer(button, label, copied);
    });
    source.after(button);
  }

  const sources = document.querySelectorAll(".highlight > pre, .pcode-source");
  for (const source of sources) if (!source.closest(".output")) addButton(source);
}

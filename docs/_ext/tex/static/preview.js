// Pointing at a reference to an equation or to a source, or moving to it with the keyboard, shows it
// in place; Escape closes it. A tap follows the link, as ever.
if ("popover" in HTMLElement.prototype) {
  const REFERENCE = 'a.internal[href*="#equation-"], a.footnote-reference';
  const SHOW_AFTER = 150; // milliseconds
  const HIDE_AFTER = 250; // enough to move the pointer into the preview
  let shown = null; // the reference whose target is shown
  let pointed = null;
  let timer = 0;

  const box = document.createElement("div");
  box.id = "preview";
  box.className = "preview";
  box.popover = "manual";
  box.setAttribute("role", "tooltip");
  (document.querySelector(".bd-article") ?? document.body).append(box);

  /** A copy of what a reference leads to: on this page, or stored by preview.py. */
  function targetOf(link) {
    const name = nameIn(link.hash);
    const stored = document.getElementById(`preview-${name}`);
    if (stored) return stored.content.cloneNode(true);
    const target = document.getElementById(name);
    const part = target?.querySelector(".katex-display") ?? target?.querySelector("p");
    return part?.cloneNode(true);
  }

  function place(link) {
    const { left, top, bottom } = link.getClientRects()[0];
    const page = document.documentElement;
    const below = bottom + box.offsetHeight + 16 < page.clientHeight || top < box.offsetHeight + 80;
    const x = Math.max(8, Math.min(left - 16, page.clientWidth - box.offsetWidth - 8));
    box.style.left = `${x + scrollX}px`;
    box.style.top = `${(below ? bottom + 6 : top - box.offsetHeight - 6) + scrollY}px`;
  }

  function show(link) {
    hide();
    const target = targetOf(link);
    if (!target) return;
    box.replaceChildren(target);
    for (const named of box.querySelectorAll("[id]")) named.removeAttribute("id");
    box.showPopover();
    place(link);
    link.setAttribute("aria-describedby", box.id);
    shown = link;
  }

  function hide() {
    clearTimeout(timer);
    if (!shown) return;
    shown.removeAttribute("aria-describedby");
    shown = null;
    box.hidePopover();
  }

  function later(act, delay) {
    clearTimeout(timer);
    timer = setTimeout(act, delay);
  }

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const over = event.target.closest(`${REFERENCE}, .preview`);
    if (over === pointed) return;
    pointed = over;
    if (over && (over === box || over === shown || box.contains(over))) clearTimeout(timer);
    else if (over) later(() => show(over), SHOW_AFTER);
    else later(hide, HIDE_AFTER);
  });
  document.addEventListener("focusin", (event) => {
    const link = event.target.closest(REFERENCE);
    if (link?.matches(":focus-visible")) show(link);
    else if (!box.contains(event.target)) hide();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest(REFERENCE)) hide();
  });
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !shown) return;
      hide();
      event.stopImmediatePropagation(); // it closes this, and nothing else
    },
    true,
  );
}

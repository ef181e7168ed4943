// The lines of a pseudocode block and of the Python beside it. Pointing at one, or moving to it with
// the keyboard, lights up what belongs to it; a click or Enter keeps it lit, and puts it into the
// page's address; an address that names a line opens with it lit.
{
  const LINE = ".beside .ps-code[id], .beside-line[id]";
  const COLUMN = ".beside-block, .beside-code";
  const MOVES = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
  let kept = null;

  const lineOf = (node) => node?.closest?.(LINE) ?? null;
  const linesIn = (part) => [...part.querySelectorAll(LINE)];
  const numbersOf = (line) => line.dataset.lines?.split(" ") ?? [];
  const columnOf = (line) => line.closest(COLUMN);

  /** All lines of both columns that share a number with this one, and itself. */
  function groupOf(line) {
    const numbers = new Set(numbersOf(line));
    const shares = (other) => other === line || numbersOf(other).some((n) => numbers.has(n));
    return linesIn(line.closest(".beside")).filter(shares);
  }

  /** Those of them that stand in the other column. */
  const partnersOf = (line) => groupOf(line).filter((other) => columnOf(other) !== columnOf(line));

  /** Give a class to a line's group, and to nothing else. */
  function mark(line, name) {
    for (const old of document.querySelectorAll(`.${name}`)) old.classList.remove(name);
    for (const each of line ? groupOf(line) : []) each.classList.add(name);
  }

  const light = (line) => mark(line, "is-lit");
  const lightFocused = () => light(lineOf(document.querySelector(":focus-visible")));

  function keep(line) {
    kept?.removeAttribute("aria-current");
    line?.setAttribute("aria-current", "true");
    kept = line;
    mark(line, "is-kept");
    sight.disconnect();
    for (const peek of document.querySelectorAll(".beside-peek")) peek.remove();
    if (line) addPeek(line);
  }

  // While one of the partners is out of sight, a copy of all stands at the foot of the page.
  const hiddenPartners = new Set();
  function look(entries) {
    for (const { target, intersectionRatio } of entries) {
      if (intersectionRatio < 0.5) hiddenPartners.add(target);
      else hiddenPartners.delete(target);
    }
    const peek = document.querySelector(".beside-peek");
    if (peek) peek.hidden = !hiddenPartners.size;
  }
  const UNDER_HEADER = "-48px 0px 0px";
  const sight = new IntersectionObserver(look, { threshold: 0.5, rootMargin: UNDER_HEADER });

  function addPeek(line) {
    const partners = partnersOf(line);
    if (!partners.length) return;
    const peek = document.createElement("div");
    peek.className = "beside-peek";
    peek.hidden = true;
    peek.inert = true;
    for (const partner of partners) {
      const copy = partner.cloneNode(true);
      copy.removeAttribute("id");
      copy.classList.remove("is-lit", "is-kept");
      const part = document.createElement(copy.matches(".ps-line") ? "div" : "pre");
      part.className = copy.matches(".ps-line") ? "pcode ps-root" : "highlight";
      part.append(copy);
      peek.append(part);
    }
    line.closest(".beside").append(peek);
    hiddenPartners.clear();
    for (const partner of partners) sight.observe(partner);
  }

  /** The one line of its column that the Tab key stops at. */
  function stopAt(line) {
    for (const other of linesIn(columnOf(line))) other.tabIndex = other === line ? 0 : -1;
  }

  function toggle(line) {
    keep(line === kept ? null : line);
    history.replaceState(null, "", kept ? `#${kept.id}` : location.href.split("#")[0]);
  }

  /** Keep the line that the address names, and show it with its partners. */
  function open() {
    const line = lineOf(document.getElementById(nameIn(location.hash)));
    keep(line);
    if (!line) return;
    stopAt(line);
    const boxes = groupOf(line).map((each) => each.getBoundingClientRect());
    const top = Math.min(...boxes.map((box) => box.top));
    const bottom = Math.max(...boxes.map((box) => box.bottom));
    if (bottom - top < innerHeight * 0.7) scrollBy(0, (top + bottom - innerHeight) / 2);
    else line.scrollIntoView({ block: "center" });
  }

  function onClick(event) {
    const line = lineOf(event.target);
    const link = event.target.closest("a");
    if (!line || (link && link.hash !== `#${line.id}`) || !getSelection().isCollapsed) return;
    event.preventDefault();
    toggle(line);
  }

  function onKey(event) {
    const line = lineOf(event.target);
    if (line !== event.target || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      toggle(line);
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      partnersOf(line)[0]?.focus();
    } else if (event.key in MOVES) {
      const column = linesIn(columnOf(line));
      const at = column.indexOf(line) + MOVES[event.key];
      column[Math.max(0, Math.min(column.length - 1, at))].focus();
    } else {
      return;
    }
    event.preventDefault();
  }

  for (const frame of document.querySelectorAll(".beside")) {
    frame.classList.add("is-live");
    for (const line of linesIn(frame)) {
      line.tabIndex = -1;
      line.setAttribute("role", "group");
      line.setAttribute("aria-labelledby", line.id);
      const partners = partnersOf(line).map((partner) => partner.id);
      if (partners.length) line.setAttribute("aria-describedby", partners.join(" "));
      else line.classList.add("is-alone");
      for (const link of line.querySelectorAll("a")) link.tabIndex = -1;
    }
    for (const column of frame.querySelectorAll(COLUMN)) {
      const [first] = linesIn(column);
      if (first) stopAt(first);
    }
    frame.addEventListener("pointerover", (event) => light(lineOf(event.target)));
    frame.addEventListener("pointerleave", lightFocused);
    frame.addEventListener("focusin", (event) => {
      const line = lineOf(event.target);
      if (line) stopAt(line);
      light(line);
    });
    frame.addEventListener("focusout", () => light(null));
    frame.addEventListener("click", onClick);
    frame.addEventListener("keydown", onKey);
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && kept) toggle(kept);
  });
  for (const hint of document.querySelectorAll(".beside-hint")) hint.hidden = false;
  addEventListener("hashchange", open);
  addEventListener("load", open);
}

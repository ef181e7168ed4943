// What is being read is marked in the page's contents, however one came there.
{
  const links = [...document.querySelectorAll("#page-contents a[href^='#']")];
  const targets = links.map((link) => document.getElementById(nameIn(link.hash)));

  /** The last entry that has been passed; what a link led to, while its start is in sight. */
  function entryRead() {
    // The line that is passed is a third of the way down; over the last screen it sinks to the foot.
    const left = document.documentElement.scrollHeight - innerHeight - scrollY;
    const line = Math.max(innerHeight / 3, innerHeight - left);
    const tops = targets.map((target) => target?.getBoundingClientRect().top ?? Infinity);
    const linked = links.findIndex((link) => link.hash && link.hash === location.hash);
    if (tops[linked] >= 0 && tops[linked] < line) return links[linked];
    return links[tops.findLastIndex((top) => top < line)];
  }

  function show() {
    const current = entryRead();
    for (const link of links) {
      link.classList.toggle("active", link === current);
      link.toggleAttribute("aria-current", link === current);
      const entry = link.closest(".toc-entry");
      entry.classList.toggle("active", entry.contains(current ?? null));
    }
  }

  if (links.length) {
    addEventListener("scroll", show, { passive: true });
    for (const event of ["load", "hashchange", "resize"]) addEventListener(event, show);
    show();
  }
}

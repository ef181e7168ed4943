// A displayed formula that is wider than the page scrolls; only then is it a stop of the Tab key.
{
  const boxes = document.querySelectorAll(".math-scroll");

  function measure(box) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }

  const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => measure(target)));
  for (const box of boxes) observer.observe(box);
  document.fonts.ready.then(() => boxes.forEach(measure));
}

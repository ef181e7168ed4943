// The link to the other language leads to the place that is being read, not to the page's top.
{
  const link = document.querySelector("a.lang-switch");
  // Called alike on both pages: see places.py.
  const PLACES = 'article :is([id^="place-"], .math-row[id], .pcode[id], dt[id])';

  /** Where the browser puts what an address leads to, below the header. */
  const landing = () => parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;

  const topOf = (element) => element.getBoundingClientRect().top;

  // What the address points to, while it is in sight. A section's own name is of one language.
  const target = () => {
    const found = document.getElementById(nameIn(location.hash));
    if (!found || topOf(found) < 0 || topOf(found) > innerHeight) return null;
    const isSection = found.matches("section, section > span");
    return isSection ? found.closest("section").querySelector(':scope > [id^="place-"]') : found;
  };

  // What begins last at the line where the other page will begin.
  const reading = () =>
    [...document.querySelectorAll(PLACES)].findLast(
      (place) => place.checkVisibility() && topOf(place) < landing() + 4,
    );

  const anchor = () => (scrollY > 0 ? target() ?? reading() : null);

  for (const type of ["pointerdown", "click"]) {
    link.addEventListener(type, () => {
      link.search = location.search;
      link.hash = anchor()?.id ?? "";
    });
  }
}

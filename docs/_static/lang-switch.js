// The link to the other language leads to the place that is being read, not to the page's top.
{
  const link = document.querySelector("a.lang-switch");
  const PLACE = ':scope > [id^="place-"]'; // see section_places.py

  // What the address points to, while it is in sight.
  const target = () => {
    const found = location.hash && document.getElementById(nameIn(location.hash));
    if (!found) return null;
    const { top, bottom } = found.getBoundingClientRect();
    return top < window.innerHeight && bottom >= 0 ? found : null;
  };

  // The section whose heading was passed last.
  const reading = () =>
    [...document.querySelectorAll("article section section")]
      .filter((section) => section.getBoundingClientRect().top < window.innerHeight / 3)
      .at(-1);

  const anchor = () => {
    const found = target();
    const section = found ? found.closest("section") : reading();
    const isSection = found === section || (found && found.parentElement === section && !found.innerText);
    if (found && !isSection) return found.id; // equations, lines of blocks and names are called alike
    const isPart = window.scrollY > 0 && section && section.parentElement.closest("section");
    return isPart ? section.querySelector(PLACE).id : "";
  };

  for (const type of ["pointerdown", "click"]) {
    link.addEventListener(type, () => {
      link.search = location.search;
      link.hash = anchor();
    });
  }
}

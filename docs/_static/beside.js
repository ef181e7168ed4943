// Pointing at a line of a pseudocode block lights up the Python that implements it, and back.
for (const frame of document.querySelectorAll(".beside")) {
  const lines = [...frame.querySelectorAll("[data-lines]")];
  const numbersOf = (line) => line.dataset.lines.split(" ");

  const light = (event) => {
    const pointed = event.target.closest("[data-lines]");
    const numbers = pointed ? numbersOf(pointed) : [];
    for (const line of lines) {
      line.classList.toggle("is-lit", numbersOf(line).some((number) => numbers.includes(number)));
    }
  };

  for (const type of ["pointerover", "focusin"]) frame.addEventListener(type, light);
  frame.addEventListener("pointerleave", () => {
    for (const line of lines) line.classList.remove("is-lit");
  });
}

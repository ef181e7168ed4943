// Full-text search in the reader's browser, over the texts in search_texts.js.
{
  const HAN = "\\p{Script=Han}";
  const WORDS = new RegExp(`${HAN}+|(?:(?!${HAN})[\\p{L}\\p{N}_])+`, "gu");
  const CHAPTERS = "algorithms/"; // come before notebooks and reference that say as much
  const EXCERPTS = 3; // of a page
  const BEFORE = 50; // characters of an excerpt before what was found
  const LENGTH = 170;

  const wordsOf = (query) => query.match(WORDS) || [];

  // Chinese is found anywhere, other words where a word begins, and in singular and plural.
  const isHan = (word) => new RegExp(`^${HAN}`, "u").test(word);
  const LETTER = "[\\p{Script=Latin}\\p{N}_]";
  const source = (word) => {
    if (isHan(word)) return word;
    const stem = word.length > 4 ? word.replace(/(?:y|ies|s)$/i, "") : word;
    return `(?<!${LETTER})${stem}${LETTER}*`;
  };
  const pattern = (words) => new RegExp(words.map(source).join("[\\s-]*"), "giu");

  const count = (text, found) => (text.match(found) || []).length;

  const pages = Object.entries(searchTexts).map(([name, places]) => ({
    name,
    places: places.map(([anchor, heading, text], index) => ({
      anchor: index ? anchor : "", heading, text, all: `${heading} ${text}`,
    })),
  }));

  // What to look for when a word is nowhere: the pairs in a Chinese one, else its stem.
  const loosen = (word) => {
    if (pages.some((page) => page.places.some((place) => count(place.all, pattern([word]))))) {
      return [word];
    }
    if (!isHan(word)) return word.length > 5 ? [word.slice(0, -3)] : [word];
    const characters = [...word];
    return characters.slice(1).map((character, index) => characters[index] + character);
  };

  const search = (query) => {
    const words = wordsOf(query).flatMap(loosen);
    if (!words.length) return [];
    const patterns = words.map((word) => pattern([word]));
    const phrase = pattern(words);

    const scoreOf = (place) => {
      const found = patterns.map((word) => count(place.all, word));
      const share = found.filter(Boolean).length / words.length;
      const headed = patterns.filter((word) => count(place.heading, word)).length / words.length;
      const whole = count(place.all, phrase);
      return share * (Math.log2(1 + Math.max(...found)) + Math.log2(1 + whole)) + 3 * headed;
    };

    const results = [];
    for (const page of pages) {
      if (!patterns.every((word) => page.places.some((place) => count(place.all, word)))) continue;
      const places = page.places
        .map((place) => ({ ...place, score: scoreOf(place) }))
        .filter((place) => place.score > 0)
        .sort((one, other) => other.score - one.score);
      const whole = page.places.reduce((sum, place) => sum + count(place.all, phrase), 0);
      const titled = patterns.filter((word) => count(page.places[0].heading, word)).length;
      const score = places[0].score + Math.log2(1 + whole) + 3 * (titled / words.length);
      results.push({ page, places, score: page.name.startsWith(CHAPTERS) ? 2 * score : score });
    }
    results.sort((one, other) => other.score - one.score);
    return results.map((result) => ({ ...result, patterns: [phrase, ...patterns] }));
  };

  // The page

  const element = (tag, ...children) => {
    const made = document.createElement(tag);
    made.append(...children);
    return made;
  };

  const link = (page, place) => {
    const made = element("a", place.heading);
    const anchor = place.anchor && `#${place.anchor}`;
    made.href = `${document.documentElement.dataset.content_root}${page.name}.html${anchor}`;
    return made;
  };

  const excerpt = (text, patterns) => {
    const first = patterns.map((word) => text.search(word)).find((position) => position >= 0) ?? 0;
    let start = Math.max(0, first - BEFORE);
    if (start > 0) start = Math.min(first, start + (text.slice(start, first).indexOf(" ") + 1));
    const shown = text.slice(start, start + LENGTH);
    const parts = shown.split(new RegExp(`(${patterns.map((word) => word.source).join("|")})`, "giu"));
    const made = element("p", start > 0 ? "… " : "");
    parts.forEach((part, index) => made.append(index % 2 ? element("mark", part) : part));
    made.append(start + LENGTH < text.length ? " …" : "");
    return made;
  };

  const show = ({ page, places, patterns }) => {
    const item = element("li", link(page, page.places[0]));
    for (const place of places.slice(0, EXCERPTS)) {
      if (place.anchor) item.append(element("p", "› ", link(page, place)));
      if (patterns.some((word) => count(place.text, word))) item.append(excerpt(place.text, patterns));
    }
    return item;
  };

  const field = document.querySelector(".bd-article input[name=q]");
  const status = document.getElementById("search-status");
  const query = (new URLSearchParams(location.search).get("q") || "").trim();
  field.value = query;
  field.focus();
  if (query) {
    const results = search(query);
    document.getElementById("search-results").replaceChildren(...results.map(show));
    status.textContent = results.length
      ? status.dataset.found.replace("COUNT", results.length)
      : status.dataset.none.replace("QUERY", () => query);
  }
}

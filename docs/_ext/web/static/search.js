// Full-text search in the reader's browser, over the texts in search_texts.js, by the words
// in search_words.js.
{
  const HAN = "\\p{Script=Han}";
  const WORDS = new RegExp(`${HAN}+|(?:(?!${HAN})[\\p{L}\\p{N}_])+`, "gu");
  const CHAPTERS = "algorithms/"; // come before notebooks, and these before the reference
  const REFERENCE = "api";
  const EXCERPTS = 3; // of a page
  const BEFORE = 50; // characters of an excerpt before what was found
  const LENGTH = 170;

  const wordsOf = (query) => query.match(WORDS) || [];

  // Chinese is found anywhere, other words where a word begins, and in singular and plural.
  const isHan = (word) => new RegExp(`^${HAN}`, "u").test(word);
  const LETTER = "[\\p{Script=Latin}\\p{N}_]";
  const stem = (word) => (word.length > 4 ? word.replace(/(?:y|ies|s)$/i, "") : word);
  const source = (words, ending = `${LETTER}*`) =>
    (isHan(words[0]) ? "" : `(?<!${LETTER})`) +
    words.map((word) => (isHan(word) ? word : stem(word) + ending)).join("[\\s-]*");
  const pattern = (...words) => new RegExp(source(words), "giu");

  // Words that mean the same, longest first, each with what finds all of its row.
  const known = searchWords
    .trim()
    .split("\n")
    .flatMap((row) => {
      const names = row.split(", ").map(wordsOf);
      const sources = names.map((words) => source(words, `(?:y|(?:ie|e)?s)?(?!${LETTER})`));
      const all = `(?:${sources.join("|")})`;
      return sources.map((name, index) => ({ name, length: names[index].join().length, all }));
    })
    .sort((one, other) => other.length - one.length);

  const count = (text, found) => (text.match(found) || []).length;

  const pages = Object.entries(searchTexts).map(([name, places]) => ({
    name,
    places: places.map(([anchor, heading, text], index) => ({
      anchor: index ? anchor : "", heading, text, all: `${heading} ${text}`,
    })),
  }));

  const countIn = ({ places }, found) => places.reduce((sum, place) => sum + count(place.all, found), 0);

  // What to look for when a word is nowhere: the pairs in a Chinese one, else its stem.
  const loosen = (word) => {
    if (pages.some((page) => countIn(page, pattern(word)))) return [word];
    if (!isHan(word)) return word.length > 5 ? [word.slice(0, -3)] : [word];
    const characters = [...word];
    return characters.slice(1).map((character, index) => characters[index] + character);
  };

  // What a query asks for, each as the source of a pattern.
  const termsOf = (query) => {
    const terms = [];
    let rest = query;
    for (const { name, all } of known) {
      const whole = new RegExp(name, "giu");
      if (count(rest, whole)) terms.push(all);
      rest = rest.replace(whole, " ");
    }
    return [...terms, ...wordsOf(rest).flatMap(loosen).map((word) => source([word]))];
  };

  const search = (query) => {
    const terms = termsOf(query);
    if (!terms.length) return [];
    const patterns = terms.map((term) => new RegExp(term, "giu"));
    const phrase = pattern(...wordsOf(query));
    const near = terms.slice(1).map((term, index) => {
      const before = terms[index];
      return new RegExp(`${before}.{0,60}?${term}|${term}.{0,60}?${before}`, "giu");
    });

    const hasAll = (text) => patterns.every((word) => count(text, word));
    const scoreOf = ({ heading, all }) => {
      const found = patterns.map((word) => count(all, word));
      const share = found.filter(Boolean).length / terms.length;
      const together = [phrase, ...near].map((each) => Math.log2(1 + count(all, each)));
      const headed = (hasAll(heading) ? 1 : 0) + (count(heading, phrase) ? 1 : 0);
      return share * Math.log2(1 + Math.max(...found)) + Math.max(...together) + headed;
    };
    const isName = /[_.(]/.test(query);
    const weightOf = ({ name, places }) => {
      if (name !== REFERENCE) return name.startsWith(CHAPTERS) ? 3 : 1;
      return isName && places.some(({ heading }) => heading === query) ? 4 : 0.5;
    };

    const results = [];
    for (const page of pages) {
      if (!patterns.every((word) => countIn(page, word))) continue;
      const places = page.places
        .map((place) => ({ ...place, score: scoreOf(place) }))
        .filter((place) => place.score > 0)
        .sort((one, other) => other.score - one.score);
      const titled = hasAll(page.places[0].heading) ? 1 : 0;
      const often = Math.log2(1 + Math.min(...patterns.map((word) => countIn(page, word))));
      results.push({ page, places, score: weightOf(page) * (places[0].score + titled + often) });
    }
    results.sort((one, other) => other.score - one.score);
    return results.map((result) => ({ ...result, patterns: [phrase, ...near, ...patterns] }));
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

// Finds the sections that answer a search, best first. Its input and output are texts, so it is tested without a
// browser.
"use strict";

const bookRanking = (() => {
  // Words that only ask, and don't say about what.
  const asking = new Set(
    ("a an and are as at be by can did do does for from had has have how i if in is it its me my of on or so that the"
      + " their there this to was what when where which who why will with you your").split(" "));

  // The words in lower case. `@` is kept, because `@NSManaged` is another word than `NSManagedObject`. All other
  // characters except letters and digits separate words, so `context.save()` has two.
  const wordsOf = (text) => text.toLowerCase().match(/@?[\p{L}\p{M}\p{N}_]+/gu) ?? [];

  const singular = (word) => (word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word);

  // How well a word of the text matches a wanted one: 1 if it is the same, less if it only begins like it.
  function match(word, wanted) {
    const bare = word.startsWith("@") && !wanted.startsWith("@") ? word.slice(1) : word;
    if (bare === wanted || singular(bare) === singular(wanted)) return 1;
    if (wanted.length < 2) return 0;
    const stem = wanted.length > 3 ? singular(wanted) : wanted;
    if (bare.startsWith(stem)) return 0.35 + 0.4 * (stem.length / bare.length);
    if (bare.startsWith("ns") && stem.length > 3 && bare.slice(2).startsWith(stem)) return 0.35;
    return 0;
  }

  function count(words, wanted) {
    let [sum, best] = [0, 0];
    for (const word of words) {
      const value = match(word, wanted);
      sum += value;
      if (value > best) best = value;
    }
    return { sum, best };
  }

  // How often the words stand together. The last one may be incomplete.
  function phrases(words, wanted) {
    let found = 0;
    for (let start = 0; start + wanted.length <= words.length; start += 1) {
      if (wanted.every((word, offset) => match(words[start + offset], word) >= (offset === wanted.length - 1 ? 0.35 : 1))) found += 1;
    }
    return found;
  }

  class Search {
    constructor(sections) {
      this.sections = sections.map((section, order) => ({
        section, order,
        // A heading may have several spellings. Parentheses in it are explanations.
        spellings: section.heading.replace(/\([^)]*\)(?=\s|$)/g, (part) => (part === "()" ? part : " ")).split(",").map(wordsOf),
        heading: wordsOf(section.heading), page: wordsOf(section.page), text: wordsOf(section.text), code: wordsOf(section.code),
        isOpening: section.heading === section.page,
      }));
    }

    // The wanted words of a query, without words that only ask unless there are no others.
    static wanted(query) {
      const words = wordsOf(query);
      const telling = words.filter((word) => !asking.has(word));
      return telling.length > 0 ? telling : words;
    }

    // The name of a class is also searched for as the words that it consists of: `NSFetchRequest` as "fetch request".
    find(query) {
      const found = this.answers(Search.wanted(query));
      const words = query.replace(/\bNS(?=\p{Lu})/gu, "").replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 ");
      if (words === query) return found;
      const best = new Map(found.map((one) => [one.section, one]));
      for (const other of this.answers(Search.wanted(words), true)) {
        if (!(best.get(other.section)?.score >= other.score)) best.set(other.section, other);
      }
      return [...best.values()].sort((a, b) => b.score - a.score || a.order - b.order);
    }

    answers(wanted, isPhrase = false) {
      if (wanted.length === 0) return [];
      const rows = this.sections.map((entry) => ({ entry, parts: wanted.map((word) => ({
        heading: count(entry.heading, word), page: count(entry.page, word), text: count(entry.text, word), code: count(entry.code, word),
      })) }));
      const isIn = (part) => part.heading.best + part.text.best + part.code.best > 0;
      // A rare word counts more than a common one.
      const weights = wanted.map((_, index) => Math.log(1 + rows.length / (1 + rows.filter((row) => isIn(row.parts[index])).length)));
      const least = Math.max(...rows.map((row) => row.parts.filter(isIn).length));
      if (least === 0) return [];
      const parts = (entry) => [entry.heading, entry.text, entry.code];
      return rows.filter((row) => row.parts.filter(isIn).length === least)
        .filter((row) => !isPhrase || parts(row.entry).some((words) => phrases(words, wanted) > 0))
        .map((row) => ({ section: row.entry.section, order: row.entry.order, score: this.score(row, wanted, weights) }))
        .sort((a, b) => b.score - a.score || a.order - b.order);
    }

    score({ entry, parts }, wanted, weights) {
      let score = 0;
      parts.forEach((part, index) => {
        const length = 60 + entry.text.length;
        score += weights[index] * (10 * part.heading.best + 3 * part.page.best
          + 8 * part.text.best * (part.text.sum / (part.text.sum + 1 + length / 120)) + 2 * part.code.best * (part.code.sum / (part.code.sum + 6)));
      });
      const inHeading = phrases(entry.heading, wanted);
      if (wanted.length > 1) {
        const inText = phrases(entry.text, wanted);
        score += inHeading * 14 + 10 * (inText / (inText + 0.6)) + (phrases(entry.code, wanted) > 0 ? 2 : 0);
      }
      // A heading that consists of little else is about the words.
      if (inHeading > 0) score += 12 * (wanted.length / entry.heading.filter((word) => !asking.has(word)).length || 0);
      const isExact = entry.spellings.some((words) => words.length === wanted.length && words.every((word, at) => match(word, wanted[at]) === 1));
      if (isExact) score += entry.section.kind === "term" ? 200 : 60;
      if (entry.section.kind === "term" && entry.spellings.some((words) => phrases(words.slice(0, wanted.length), wanted) > 0)) score += 8;
      if (entry.isOpening) score += phrases(entry.page, wanted) > 0 ? 6 : 0;
      if (entry.section.kind === "end") score *= 0.55;
      return score;
    }

    // The results grouped by page, in the order of each page's best section.
    groups(query, limit = 30) {
      const groups = new Map();
      for (const found of this.find(query).slice(0, limit)) {
        const key = found.section.kind === "term" ? "term" : found.section.page;
        if (!groups.has(key)) groups.set(key, { name: found.section.page, found: [] });
        groups.get(key).found.push(found.section);
      }
      return [...groups.values()];
    }
  }

  // Some text around the words, as parts that are marked or not.
  function excerpt(text, query, length = 170, isFromStart = false) {
    const wanted = Search.wanted(query);
    const words = [...text.matchAll(/@?[\p{L}\p{M}\p{N}_]+/gu)].map((found) => ({ word: found[0].toLowerCase(), at: found.index, end: found.index + found[0].length }));
    const hits = words.filter(({ word }) => wanted.some((one) => match(word, one) > 0));
    // The place where most of the wanted words stand close together.
    let [first, most] = [0, 0];
    for (const hit of hits) {
      const near = hits.filter((other) => other.at >= hit.at && other.end <= hit.at + length - 40);
      const kinds = wanted.filter((one) => near.some(({ word }) => match(word, one) > 0)).length;
      if (kinds > most) [first, most] = [hit.at, kinds];
    }
    const start = isFromStart || first < 60 ? 0 : (words.find(({ at }) => at >= first - 45)?.at ?? 0);
    const end = Math.max(...words.filter((word) => word.end <= start + length).map((word) => word.end), Math.min(text.length, start + 20));
    const last = end < text.length && words.at(-1)?.end === end ? text.length : end;
    const parts = [];
    let at = start;
    for (const hit of hits.filter((hit) => hit.at >= start && hit.end <= last)) {
      parts.push({ text: text.slice(at, hit.at), isMarked: false }, { text: text.slice(hit.at, hit.end), isMarked: true });
      at = hit.end;
    }
    parts.push({ text: text.slice(at, last), isMarked: false });
    if (start > 0) parts.unshift({ text: "… ", isMarked: false });
    if (last < text.length) parts.push({ text: " …", isMarked: false });
    return parts.filter((part) => part.text !== "");
  }

  return { Search, excerpt };
})();

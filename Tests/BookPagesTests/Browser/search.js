// Asks the search's script what readers ask, outside of a browser: node search.js FOLDER SEARCHES.json
"use strict";

const { readFileSync } = require("fs");
const { runInThisContext } = require("vm");

const [folder, searches] = process.argv.slice(2);
const script = ["search-index.js", "ranking.js"].map((file) => readFileSync(`${folder}/${file}`, "utf8")).join("\n");
const { index, ranking } = runInThisContext(`${script}\n({ index: bookIndex, ranking: bookRanking })`);
const search = new ranking.Search(index);

let wrong = 0;
const expect = (isTrue, sentence) => {
  if (isTrue) return;
  wrong += 1;
  console.log(sentence);
};

for (const [query, places] of Object.entries(JSON.parse(readFileSync(searches, "utf8")))) {
  const first = search.find(query)[0]?.section.place;
  expect(places.split("|").some((place) => first?.startsWith(place)), `“${query}” leads to ${first} and not to ${places}`);
}

// Words are found from their beginnings, never from inside.
const texts = (query) => search.find(query).map(({ section }) => `${section.heading} ${section.text} ${section.code}`);
expect(texts("fault").every((text) => /(^|[^\p{L}\p{N}_])(NS)?fault/iu.test(text)), "“fault” is found inside of “default”");
expect(search.find("") .length === 0 && search.find("qqqzzz").length === 0, "Something is found for nothing");

// A piece of text marks the words, and no letters of others.
const marked = ranking.excerpt("A fault is no default, and faulting fires it.", "what is a fault").filter((part) => part.isMarked);
expect(marked.map((part) => part.text).join() === "fault,faulting", `marks ${JSON.stringify(marked)}`);
const [group] = search.groups("fault");
expect(group.found.length > 1 && group.found[0].heading === "fault", "results are not grouped by page, the definition first");

process.exit(wrong === 0 ? 0 : 1);

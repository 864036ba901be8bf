// Looks for words in the book's sections. An extra: without it everything can be read, and the contents lead everywhere.
// The index comes as a script that sets `bookIndex`, since a page that was opened from a folder may not fetch files.
"use strict";

(() => {
  const place = document.getElementById("search");
  const results = document.getElementById("results");
  if (!place || !results || typeof bookIndex === "undefined") return;
  const root = place.dataset.root;
  const limit = 20;

  const input = Object.assign(document.createElement("input"), {
    type: "search", id: "search-words", placeholder: "Search ( / )", autocomplete: "off", spellcheck: false,
  });
  input.setAttribute("aria-label", "Search the book");
  input.setAttribute("aria-controls", "results");
  const form = document.createElement("form");
  form.setAttribute("role", "search");
  form.append(input);
  place.append(form);
  place.hidden = false;

  const status = document.createElement("p");
  status.setAttribute("role", "status");
  const list = document.createElement("ol");
  results.append(status, list);

  const words = () => input.value.toLowerCase().split(/\s+/).filter(Boolean);

  // All words must be in a section. Those with words in the heading come first, then those that have them together,
  // then those that have them in the text and not only in code.
  function find(words) {
    const phrase = words.join(" ");
    const found = [];
    for (const section of bookIndex) {
      const [heading, text, code] = [section.heading, section.text, section.code].map((part) => part.toLowerCase());
      if (!words.every((word) => heading.includes(word) || text.includes(word) || code.includes(word))) continue;
      const inText = words.every((word) => text.includes(word));
      const rank = words.filter((word) => heading.includes(word)).length * 4
        + (text.includes(phrase) ? 2 : 0) + (inText ? 1 : 0);
      found.push({ section, rank, shown: inText || !words.some((word) => code.includes(word)) ? section.text : section.code });
    }
    return found.sort((a, b) => b.rank - a.rank);
  }

  // Some text around the first word that is there, with the words marked.
  function excerpt(text, words) {
    const lower = text.toLowerCase();
    const phrase = lower.indexOf(words.join(" "));
    const first = phrase >= 0 ? phrase : Math.min(...words.map((word) => lower.indexOf(word)).filter((index) => index >= 0), text.length);
    const start = first === text.length ? 0 : Math.max(0, text.lastIndexOf(" ", Math.max(0, first - 50)) + 1);
    const part = (start > 0 ? "… " : "") + text.slice(start, start + 160) + (start + 160 < text.length ? " …" : "");
    const line = document.createElement("span");
    line.className = "found";
    let rest = part;
    while (rest) {
      const places = words.map((word) => [rest.toLowerCase().indexOf(word), word.length]).filter(([index]) => index >= 0);
      if (places.length === 0) break;
      const [index, length] = places.sort((a, b) => a[0] - b[0] || b[1] - a[1])[0];
      const mark = document.createElement("mark");
      mark.textContent = rest.slice(index, index + length);
      line.append(rest.slice(0, index), mark);
      rest = rest.slice(index + length);
    }
    line.append(rest);
    return line;
  }

  function show() {
    const wanted = words();
    results.hidden = wanted.length === 0;
    list.replaceChildren();
    if (wanted.length === 0) {
      status.textContent = "";
      return;
    }
    const found = find(wanted);
    status.textContent =
      found.length === 0 ? "Nothing found."
      : found.length > limit ? `${found.length} sections, the first ${limit}:`
      : found.length === 1 ? "1 section:" : `${found.length} sections:`;
    for (const { section, shown } of found.slice(0, limit)) {
      const link = document.createElement("a");
      link.href = root + section.place;
      link.textContent = section.page === section.heading ? section.page : `${section.page} – ${section.heading}`;
      const item = document.createElement("li");
      item.append(link, excerpt(shown, wanted));
      list.append(item);
    }
  }

  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.focus();
  });
  results.addEventListener("click", (event) => {
    if (event.target.closest("a")) results.hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape" && (typing === input || results.contains(event.target))) {
      input.value = "";
      show();
      input.focus();
    }
  });
})();

// The search window. It is optional: without it everything can be read, and the tree and the index of APIs lead
// everywhere. The index is a script that sets `bookIndex`, because a page opened from a folder may not fetch files. It
// is loaded at the first search.
"use strict";

(() => {
  const place = document.getElementById("search");
  if (!place || typeof HTMLDialogElement === "undefined") return;
  const root = place.dataset.root;
  const make = (name, properties = {}, ...inside) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...inside);
    return element;
  };

  const button = make("button", { type: "button", className: "open-search" }, make("span", {}, "Search"), make("kbd", {}, "/"));
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-keyshortcuts", "/");
  place.append(button);
  place.hidden = false;

  const input = make("input", {
    type: "search", id: "search-words", autocomplete: "off", spellcheck: false, placeholder: "fault, merge policy, 134100 …",
  });
  input.setAttribute("aria-label", "Search the book");
  input.setAttribute("aria-controls", "results");
  const close = make("button", { type: "button", className: "close-search" }, "Close");
  const form = make("form", {}, input, close);
  form.setAttribute("role", "search");
  const status = make("p", { className: "status" });
  status.setAttribute("role", "status");
  const results = make("div", { id: "results", className: "results" });
  const dialog = make("dialog", { className: "search-window" }, form, status, results);
  dialog.setAttribute("aria-label", "Search");
  document.body.append(dialog);

  let search;
  let isLoading = false;
  function load() {
    if (search || isLoading) return;
    isLoading = true;
    const script = make("script", { src: `${root}search-index.js` });
    script.addEventListener("load", () => {
      search = new bookRanking.Search(bookIndex);
      show();
    });
    script.addEventListener("error", () => { status.textContent = "The index search-index.js is not beside the pages."; });
    document.head.append(script);
  }

  function item(section, query) {
    const link = make("a", { href: root + section.place });
    const heading = make("span", { className: "heading" });
    for (const part of bookRanking.excerpt(section.heading, query, 200)) heading.append(part.isMarked ? make("mark", {}, part.text) : part.text);
    const isTerm = section.kind === "term";
    const isInText = bookRanking.excerpt(section.text, query).some((part) => part.isMarked);
    // For a term, show its meaning and not its names in other languages.
    const words = isTerm ? section.text.replace(/ (ko|ru|zh|hi) [^a-z].*| See .*/, "") : isInText || !section.code ? section.text : section.code;
    const found = make("span", { className: "found" });
    for (const part of bookRanking.excerpt(words, query, isTerm ? 240 : 170, isTerm)) {
      found.append(part.isMarked ? make("mark", {}, part.text) : part.text);
    }
    link.append(heading, found);
    return make("li", {}, link);
  }

  function show() {
    const query = input.value.trim();
    results.replaceChildren();
    if (query === "" || !search) {
      status.textContent = query === "" ? "" : "Loading …";
      return;
    }
    const groups = search.groups(query);
    const count = groups.reduce((sum, group) => sum + group.found.length, 0);
    status.textContent = count === 0 ? "Nothing found."
      : `${count} section${count === 1 ? "" : "s"} on ${groups.length} page${groups.length === 1 ? "" : "s"}`;
    groups.forEach((group, index) => {
      const name = make("h2", { id: `results-${index}` }, group.name);
      const list = make("ol", {}, ...group.found.slice(0, 4).map((section) => item(section, query)));
      list.setAttribute("aria-labelledby", name.id);
      const part = make("section", {}, name, list);
      if (group.found.length > 4) {
        const more = make("button", { type: "button", className: "more" }, `${group.found.length - 4} more`);
        more.addEventListener("click", () => {
          const items = group.found.slice(4).map((section) => item(section, query));
          list.append(...items);
          more.remove();
          items[0].querySelector("a").focus();
        });
        part.append(more);
      }
      results.append(part);
    });
    results.scrollTop = 0;
  }

  // The page below keeps its scroll position and focus, and has both again when the window closes.
  let reader;
  function open() {
    if (dialog.open) return;
    reader = { top: scrollY, focus: document.activeElement };
    dialog.showModal();
    input.select();
    load();
  }
  dialog.addEventListener("close", () => {
    reader?.focus?.focus?.({ preventScroll: true });
    if (reader && scrollY !== reader.top) scrollTo({ top: reader.top, behavior: "instant" });
  });

  let timer;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(showNow, 60);
  });
  function showNow() {
    clearTimeout(timer);
    timer = undefined;
    show();
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    showNow();
    results.querySelector("a")?.click();
  });
  button.addEventListener("click", open);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
    if (event.target.closest("a")) {
      reader = undefined;
      dialog.close();
    }
  });
  // A search field would handle the first Escape itself.
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault();
      dialog.close();
    }
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    // Results that arrive later would remove the focused one.
    if (timer !== undefined) showNow();
    const places = [input, ...results.querySelectorAll("a, button")];
    const next = places.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    if (places[next]) {
      event.preventDefault();
      places[next].focus();
    }
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      open();
    }
  });
})();

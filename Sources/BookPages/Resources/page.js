// Makes a page more convenient where scripts run: the tree marks the current section, code has a button that copies it,
// and a term shows its definition. Without this script, everything can still be read and every link works.
"use strict";

// The tree is a column if there is room, and otherwise folded.
(() => {
  const tree = document.getElementById("tree");
  if (!tree) return;
  const fold = tree.querySelector("details");
  const wide = matchMedia("(min-width: 75rem)");
  const set = () => { fold.open = wide.matches; };
  wide.addEventListener("change", set);
  set();

  const links = new Map();
  for (const link of tree.querySelectorAll(".sections a")) {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (heading) links.set(heading, link);
  }
  const leaves = tree.querySelector(".leaves");
  // Scrolls the tree, but never the page.
  const show = (link) => {
    const [box, place] = [leaves.getBoundingClientRect(), link.getBoundingClientRect()];
    if (place.top < box.top + 40 || place.bottom > box.bottom - 40) {
      leaves.scrollTop += place.top - box.top - box.height / 3;
    }
  };
  const page = tree.querySelector("[aria-current]");
  if (page && wide.matches) show(page);
  if (!("IntersectionObserver" in window) || links.size === 0) return;

  // The current section is the last one whose heading is above the upper third.
  const headings = [...links.keys()];
  let current;
  const mark = () => {
    let found;
    for (const heading of headings) {
      if (heading.getBoundingClientRect().top > innerHeight / 3) break;
      found = heading;
    }
    if (found === current) return;
    links.get(current)?.removeAttribute("aria-current");
    current = found;
    const link = links.get(found);
    link?.setAttribute("aria-current", "true");
    if (link && wide.matches) show(link);
  };
  const observer = new IntersectionObserver(mark, { rootMargin: "0px 0px -66% 0px", threshold: [0, 1] });
  headings.forEach((heading) => observer.observe(heading));
  mark();
})();

// Copies the code of a figure without line numbers and context; from output only the commands.
(() => {
  const text = (figure) => {
    const lines = [...figure.querySelectorAll(".line:not(.context)")].map((line) => line.textContent.replace(/\n$/, ""));
    const commands = lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
    return (figure.classList.contains("console") && commands.length > 0 ? commands : lines).join("\n") + "\n";
  };
  const copy = async (words) => {
    try {
      await navigator.clipboard.writeText(words);
    } catch {
      const area = document.createElement("textarea");
      area.value = words;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  for (const figure of document.querySelectorAll(".snippet:not(.difference)")) {
    // A program's output is not meant to be copied.
    if (figure.classList.contains("console") && !figure.querySelector(".command")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", figure.classList.contains("console") && figure.querySelector(".command") ? "Copy the commands" : "Copy the code");
    button.addEventListener("click", async () => {
      const before = document.activeElement;
      await copy(text(figure));
      before?.focus({ preventScroll: true });
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1600);
    });
    figure.classList.add("has-copy");
    figure.append(button);
  }
})();

// Shows the definition of a term in the margin, or below the line if there is no margin. It appears with the pointer,
// with the keyboard focus, and with the first tap. A second tap follows the link.
(() => {
  const terms = document.querySelectorAll("a.term[title]");
  if (terms.length === 0) return;
  const note = document.createElement("div");
  note.id = "definition";
  note.className = "definition";
  note.setAttribute("role", "tooltip");
  note.hidden = true;
  document.querySelector("main").append(note);
  let shown;
  let closing;

  const hide = () => {
    shown?.removeAttribute("aria-describedby");
    shown = undefined;
    note.hidden = true;
  };
  const show = (term) => {
    clearTimeout(closing);
    if (shown === term) return;
    hide();
    shown = term;
    term.setAttribute("aria-describedby", note.id);
    const word = document.createElement("b");
    word.textContent = term.textContent;
    note.replaceChildren(word, " " + term.dataset.definition);
    note.hidden = false;
    const [main, line] = [note.offsetParent.getBoundingClientRect(), term.getClientRects()[0]];
    const paragraph = term.closest("p, li").getBoundingClientRect();
    note.classList.toggle("in-margin", false);
    const room = main.right - paragraph.right;
    if (room >= 200) {
      note.classList.add("in-margin");
      note.style.left = `${paragraph.right - main.left + 28}px`;
      note.style.width = `${Math.min(room - 28, 300)}px`;
      note.style.top = `${line.top - main.top}px`;
    } else {
      note.style.width = "";
      const width = note.offsetWidth;
      note.style.left = `${Math.max(0, Math.min(line.left - main.left, main.width - width))}px`;
      note.style.top = `${line.bottom - main.top + 6}px`;
    }
  };
  for (const term of terms) {
    term.dataset.definition = term.title;
    term.removeAttribute("title");
    let isTouch = false;
    let wasShown = false;
    term.addEventListener("pointerdown", (event) => {
      isTouch = event.pointerType === "touch";
      wasShown = shown === term;
    });
    term.addEventListener("pointerenter", (event) => { if (event.pointerType !== "touch") show(term); });
    term.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") closing = setTimeout(hide, 250); });
    term.addEventListener("focus", () => show(term));
    term.addEventListener("blur", hide);
    term.addEventListener("click", (event) => {
      if (!isTouch || wasShown) return;
      event.preventDefault();
      show(term);
    });
  }
  note.addEventListener("pointerenter", () => clearTimeout(closing));
  note.addEventListener("pointerleave", hide);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("pointerdown", (event) => { if (shown && !event.target.closest(".term, .definition")) hide(); });
})();

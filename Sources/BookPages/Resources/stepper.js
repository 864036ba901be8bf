// Shows one frame of a stepper at a time, with buttons, dots, arrow keys and swipes. Without this script the frames are
// below each other, and nothing is missing.
"use strict";

for (const figure of document.querySelectorAll("figure.steps")) {
  const frames = [...figure.querySelectorAll(".step")];
  if (frames.length < 2) continue;
  const element = (name, properties, attributes = {}) => {
    const made = Object.assign(document.createElement(name), properties);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  let current = 0;

  const controls = element("div", { className: "step-controls" });
  const previous = element("button", { type: "button", textContent: "← Previous" });
  const next = element("button", { type: "button", textContent: "Next →" });
  const dots = element("span", { className: "step-dots" });
  frames.forEach((_, index) => {
    const dot = element("button", { type: "button" }, { "aria-label": `Step ${index + 1} of ${frames.length}` });
    dot.addEventListener("click", () => show(index));
    dots.append(dot);
  });
  controls.append(previous, dots, next);
  const status = element("p", { className: "unseen" }, { "aria-live": "polite" });
  figure.querySelector("figcaption").after(controls, status);
  figure.tabIndex = 0;
  figure.setAttribute("role", "group");
  figure.setAttribute("aria-keyshortcuts", "ArrowLeft ArrowRight Home End");

  const show = (index, isQuiet = false) => {
    current = Math.max(0, Math.min(frames.length - 1, index));
    frames.forEach((frame, place) => frame.classList.toggle("current", place === current));
    [...dots.children].forEach((dot, place) => {
      if (place === current) dot.setAttribute("aria-current", "step");
      else dot.removeAttribute("aria-current");
    });
    // `disabled` would take the focus away from the button that was just pressed.
    previous.setAttribute("aria-disabled", current === 0);
    next.setAttribute("aria-disabled", current === frames.length - 1);
    if (isQuiet) return;
    const text = (name) => frames[current].querySelector(name).textContent;
    status.textContent = `Step ${text(".step-caption")} ${text(".step-changes")}`;
  };

  previous.addEventListener("click", () => show(current - 1));
  next.addEventListener("click", () => show(current + 1));
  figure.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const places = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: frames.length - 1 };
    if (!(event.key in places)) return;
    event.preventDefault();
    show(places[event.key]);
  });

  // A swipe is long and level, and begins where nothing else scrolls sideways.
  let start = null;
  figure.addEventListener("touchstart", (event) => {
    const box = event.target.closest(".step-table");
    const isFree = event.touches.length === 1 && !(box && box.scrollWidth > box.clientWidth);
    start = isFree ? event.touches[0] : null;
  }, { passive: true });
  figure.addEventListener("touchend", (event) => {
    if (!start) return;
    const end = event.changedTouches[0];
    const [across, down] = [end.clientX - start.clientX, end.clientY - start.clientY];
    start = null;
    if (Math.abs(across) > 50 && Math.abs(across) > 2 * Math.abs(down)) show(current + (across < 0 ? 1 : -1));
  }, { passive: true });

  // A link to a frame shows it.
  const follow = () => {
    const linked = frames.findIndex((frame) => `#${frame.id}` === decodeURIComponent(location.hash));
    if (linked >= 0) show(linked, true);
  };
  window.addEventListener("hashchange", follow);
  figure.classList.add("running");
  show(0, true);
  follow();
}

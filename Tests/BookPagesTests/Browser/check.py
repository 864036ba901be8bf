"""Looks at the built book in Chromium, and prints what is wrong: python3 check.py FOLDER CHROMIUM SEARCHES.json

With BOOK_AXE=axe.min.js it also asks axe-core about each page.
"""

import json
import os
import pathlib
import sys
import time
import urllib.parse

from browser import Browser

folder = pathlib.Path(sys.argv[1]).resolve()
searches = json.loads(pathlib.Path(sys.argv[3]).read_text())
problems = []
figures = {}
began = time.monotonic()


def wrong(place, what):
    problems.append(f"{place}: {what}")


def address(file):
    return (folder / file).as_uri()


pages = sorted(path.name for path in folder.glob("*.html"))
chapters = [page for page in pages if page[:2].isdigit()]
longest = max(chapters, key=lambda page: (folder / page).stat().st_size)
sources = sorted((folder / "source").glob("*.html"), key=lambda path: path.stat().st_size)
sample = [f"source/{path.name}" for path in sources if path.stat().st_size < 60_000][::len(sources) // 3 or 1]
whole = "all.html"
widths = [320, 390, 900, 1200, 1440]

OVERFLOW = """(() => {
  const wide = document.documentElement.scrollWidth;
  if (wide <= innerWidth) return null;
  const guilty = [...document.querySelectorAll("main *")].find((one) => one.getBoundingClientRect().right > innerWidth + 1
    && !one.closest(".code, .table, .diagram, .unseen, .tree"));
  return `${wide} px wide in ${innerWidth}: ${guilty ? guilty.outerHTML.slice(0, 160) : "?"}`;
})()"""

FOREIGN = """(() => {
  const foreign = /[\\u0400-\\u04ff\\u0900-\\u097f\\u3400-\\u9fff\\uac00-\\ud7a3]/;
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (foreign.test(node.data) && !node.data.startsWith("http") && node.parentElement.closest("[lang]").lang === "en" && !node.parentElement.closest("code, pre, .notes")) {
      return node.data.slice(0, 80);
    }
  }
  return null;
})()"""

NARROW = """(() => [...document.querySelectorAll("main > .table, .chapter > .table")].flatMap((box) => {
  const size = parseFloat(getComputedStyle(box.querySelector("table")).fontSize) * 0.45;
  return [...box.querySelectorAll("tbody td, tbody th")].filter((cell) => getComputedStyle(cell).display === "table-cell"
    && cell.textContent.trim().length > 12 && cell.clientWidth < 11 * size).slice(0, 1)
    .map((cell) => `a cell is ${Math.round(cell.clientWidth / size)} characters wide: ${cell.textContent.slice(0, 40)}`);
}))()"""

COLLISIONS = """(() => {
  const beside = [...document.querySelectorAll("aside.margin, .line-notes li")].map((one) => one.getBoundingClientRect());
  const others = [...document.querySelectorAll("main > figure, main > .table, main > p, main > .beside > p, main > ul, main > ol, .card, .noted > .snippet")];
  return others.filter((other) => {
    const a = other.getBoundingClientRect();
    return beside.some((b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1);
  }).map((other) => "under an aside: " + other.textContent.trim().slice(0, 60));
})()"""


# Ends when nothing has moved for ten frames: parts of a page get their final height when they are first seen.
AT_REST = """new Promise((done) => {
  let [frames, last] = [0, null];
  const look = () => {
    const now = `${scrollY} ${document.documentElement.scrollHeight}`;
    frames = now === last ? frames + 1 : 0;
    last = now;
    frames === 10 ? done(1) : requestAnimationFrame(look);
  };
  look();
})"""


def look_at_all(browser):
    for page in pages + sample:
        for width in widths if page != whole else [390, 1440]:
            browser.size(width, 844 if width == 390 else 900)
            if width in (widths[0], 390) and page not in figures:
                requests = browser.open(address(page))
                for request in requests:
                    if not request.startswith(("file:", "data:")):
                        wrong(page, f"asks for {request}")
                weight = sum(
                    os.path.getsize(urllib.parse.unquote(urllib.parse.urlsplit(request).path)) for request in requests
                    if request.startswith("file:") and not request.endswith(".woff2"))
                figures[page] = round(weight / 1000)
                if weight > 300_000 and page != whole:
                    wrong(page, f"weighs {weight} bytes without its typefaces")
                if problem := browser.run(FOREIGN):
                    wrong(page, f"words of another language without lang: {problem}")
            collisions = COLLISIONS if width >= 1200 and page != whole else "[]"
            overflow, bottom, narrow, collisions = browser.run(
                f"[{OVERFLOW}, document.querySelector('h1').getBoundingClientRect().bottom, {NARROW}, {collisions}]")
            if overflow:
                wrong(page, overflow)
            if width == 390 and bottom > 844:
                wrong(page, f"the title ends at {bottom} px of 844")
            for problem in narrow + collisions:
                wrong(page, f"{width} px: {problem}")


def move(browser):
    browser.size(1440)
    browser.open(address(longest))
    places = browser.run("[...document.querySelectorAll('.tree .group > ol > li > a')].map((link) => link.getAttribute('href'))")
    for page in pages:
        if page not in places:
            wrong(longest, f"the tree does not lead to {page}")
    for end in ["first", "last"]:
        if browser.run(f"document.querySelectorAll('.turn.{end} a').length") != 2:
            wrong(longest, f"no previous and next at its end ({end})")
    section = browser.run("document.querySelectorAll('main > h2')[2].textContent")
    browser.run("document.querySelectorAll('main > h2')[2].scrollIntoView()")
    marks = "document.querySelector('.sections [aria-current]')?.textContent"
    if not browser.until(f"{marks} === {json.dumps(section)}"):
        wrong(longest, f"in “{section}” the tree marks “{browser.run(marks)}”")
    if not browser.run("(() => { const box = document.querySelector('.sections [aria-current]').getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight })()"):
        wrong(longest, "the marked section can't be seen in the tree")
    browser.size(390, 844)
    browser.open(address(longest))
    if browser.run("document.querySelector('.tree details').open"):
        wrong(longest, "the tree is open on a phone")
    shown = sample[-1]
    browser.open(address(next(f"source/{path.name}" for path in sources if "Program.swift" in path.name)))
    if not browser.run("document.querySelectorAll('.uses a').length"):
        wrong(shown, "does not say which sections show it")


def search(browser):
    for width in [1440, 390]:
        browser.size(width, 844)
        browser.open(address(longest))
        browser.run("scrollTo(0, 3000)")
        browser.run("document.querySelectorAll('main > p a')[0].focus({ preventScroll: true })")
        browser.run(AT_REST)
        before = browser.run("[scrollY, document.activeElement.outerHTML]")
        browser.key("/", "/")
        if not browser.run("document.querySelector('.search-window')?.open && document.activeElement.id === 'search-words'"):
            wrong(longest, "/ does not open the search")
            return
        browser.type("what is a fault")
        browser.until("document.querySelector('.results a')")
        if browser.run("scrollY") != before[0]:
            wrong(longest, "the page moves when the search opens")
        browser.key("ArrowDown")
        if not browser.run("document.activeElement.matches('.results a')"):
            wrong(longest, "the arrow does not lead into the results")
        browser.key("ArrowUp")
        browser.run("(() => { const field = document.activeElement; field.value = 'merge'; field.dispatchEvent(new Event('input')) })()")
        browser.key("ArrowDown")
        # Late results come by a timer of 60 ms that was set before this one, so they have come when this one ends.
        browser.run("new Promise((done) => setTimeout(done, 110))")
        if not browser.run("document.activeElement.matches('.results a') && document.activeElement.textContent.toLowerCase().includes('merge')"):
            wrong(longest, "results that come late take the reader out of them")
        browser.key("Escape")
        after = browser.run("[scrollY, document.activeElement.outerHTML]")
        # The browser keeps what is seen in its place when something above it gets its final height, by a pixel or two.
        is_back = after[1] == before[1] and abs(after[0] - before[0]) < 5
        if browser.run("document.querySelector('.search-window').open") or not is_back:
            wrong(longest, f"Escape does not lead back at {width}: {before} became {after}")
    browser.key("/", "/")
    for query, places in searches.items():
        browser.run(f"(() => {{ const field = document.getElementById('search-words'); field.value = {json.dumps(query)}; field.dispatchEvent(new Event('input')) }})()")
        browser.run("new Promise((done) => setTimeout(done, 110))")
        first = browser.run("document.querySelector('.results a')?.getAttribute('href')")
        if not first or not any(first.startswith(place) for place in places.split("|")):
            wrong("search", f"“{query}” leads to {first} and not to {places}")
    if not browser.run("document.querySelectorAll('.results h2').length"):
        wrong("search", "results are not grouped by page")
    browser.run("(() => { const field = document.getElementById('search-words'); field.value = 'delete rule' })()")
    browser.key("Enter", "\r")
    if not browser.until("location.href.includes('h-glossary.html#delete-rule')"):
        wrong("search", f"Enter does not open the first result, but {browser.run('location.href')}")


def handle(browser):
    browser.size(1440)
    browser.open(address(longest))
    term = browser.run("(() => { const term = document.querySelector('a.term'); term?.focus(); return term?.textContent })()")
    if term is None:
        wrong(longest, "has no term with a definition")
    elif not browser.run("(() => { const note = document.getElementById('definition'); return note.offsetHeight > 20 && note.textContent.length > 20 })()"):
        wrong(longest, f"“{term}” shows no definition when it has the focus")
    browser.key("Escape")
    if term and not browser.run("document.getElementById('definition').hidden"):
        wrong(longest, "a definition stays when Escape is pressed")
    copied = browser.run("""(async () => {
      let words;
      Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { words = text } }, configurable: true });
      const figure = [...document.querySelectorAll(".has-copy")].find((one) => one.querySelector("[data-number]"));
      figure.querySelector(".copy").click();
      await new Promise((done) => setTimeout(done, 20));
      return [words, figure.querySelector(".line:not(.context)").textContent];
    })()""")
    if not copied[0] or not copied[0].startswith(copied[1]) or copied[0][0].isdigit():
        wrong(longest, f"copies {copied[0]!r}")


def notes(browser):
    noted = [page for page in chapters if 'class="noted"' in (folder / page).read_text()]
    if len(noted) < 4:
        wrong("the chapters", "hardly any has notes on lines of code")
    for page in noted[:2]:
        browser.size(1440)
        browser.open(address(page))
        for width in [1440, 1200]:
            browser.size(width)
            for problem in browser.run("""[...document.querySelectorAll(".noted")].flatMap((one) => {
              const code = one.querySelector(".code").getBoundingClientRect();
              const items = [...one.querySelectorAll(".line-notes li")];
              const marks = [...one.querySelectorAll("[data-note]")];
              if (marks.length !== items.length) return [`${marks.length} numbers for ${items.length} notes`];
              return items.filter((item, index) => {
                const [box, mark] = [item.getBoundingClientRect(), marks[index].getBoundingClientRect()];
                const before = index ? items[index - 1].getBoundingClientRect().bottom : 0;
                return box.left < code.right || box.height < 10 || Math.abs(box.top - Math.max(mark.top, before)) > 12;
              }).map((item) => "stands not beside its line: " + item.textContent);
            })"""):
                wrong(page, f"{width} px: a note {problem}")
        browser.size(900)
        if browser.run("document.querySelector('.line-notes li').checkVisibility()"):
            wrong(page, "notes are not folded where there is no margin")


def without_scripts(browser):
    browser.scripts(False)
    for page in [longest, "index.html", "h-glossary.html", sample[0]]:
        for width in [390, 1440]:
            browser.size(width)
            browser.open(address(page))
            words = browser.run("document.querySelector('main').innerText.length")
            if words < 300:
                wrong(page, f"has {words} characters without scripts")
            if width == 1440 and browser.run("document.querySelector('.tree a').getBoundingClientRect().height") < 20:
                wrong(page, "has no tree at its side without scripts")
            if problem := browser.run(OVERFLOW):
                wrong(page, f"without scripts: {problem}")
    browser.scripts(True)


def accessibility(browser, axe):
    count = 0
    for page in pages + sample:
        for width, scheme in [(390, "light"), (390, "dark"), (1440, "light"), (1440, "dark")]:
            if page == whole and (width, scheme) != (1440, "light"):
                continue
            browser.size(width, 900, scheme)
            browser.open(address(page))
            browser.run(axe + "; 1")
            found = browser.run("""axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
              .then((result) => result.violations.map((one) => `${one.id}: ${one.nodes.length} × ${one.nodes[0].html.slice(0, 160)} ${one.nodes[0].failureSummary.slice(0, 200)}`))""")
            count += 1
            for problem in found:
                wrong(page, f"axe, {width} {scheme}: {problem}")
    print(f"axe-core looked {count} times.")


browser = Browser(sys.argv[2])
try:
    for part in [move, search, handle, notes, without_scripts, look_at_all]:
        part(browser)
    if "BOOK_AXE" in os.environ:
        accessibility(browser, pathlib.Path(os.environ["BOOK_AXE"]).read_text())
finally:
    browser.close()

heaviest = sorted((page for page in figures if page != whole), key=lambda page: -figures[page])[:3]
print(f"{len(figures)} pages in {time.monotonic() - began:.0f} s; the heaviest: "
      + ", ".join(f"{page} {figures[page]} kB" for page in heaviest) + f"; {whole} {figures.get(whole)} kB.")
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)

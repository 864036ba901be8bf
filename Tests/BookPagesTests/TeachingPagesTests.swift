import BookText
import Foundation
import Testing

@testable import BookPages

@Suite("Cards, predictions, steppers as pages", .enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
struct TeachingPagesTests {
  /// The small book with another third chapter, a glossary and the exercises' page.
  private func built(_ chapter: String, glossary: String = "# Glossary\n") throws -> BuiltBook {
    let root = try SmallBook.make()
    let files = [
      "03-Third/README.md": "# 3. The third\n\n\(chapter)\n", "H-Glossary/README.md": glossary,
      "Exercises/README.md": "# Exercises\n\n## Goals\n",
    ]
    for (path, text) in files {
      let url = root.appendingPathComponent("Chapters/\(path)")
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    return try BuiltBook(root)
  }

  private func page(_ chapter: String, glossary: String = "# Glossary\n") throws -> String {
    let built = try built(chapter, glossary: glossary)
    defer { built.remove() }
    let page = try #require(built.pages["03-third.html"])
    #expect(unbalanced(page) == nil)
    #expect(built.deadLinks == [])
    return page
  }

  @Test func `A card and what comes next are boxes`() throws {
    let page = try page(
      """
      > **Now you:** [Keep one](../Exercises/README.md#goals), 6 minutes: `swift run learn run KeepOne`

      **Next:** [The first](../01-First/README.md),
      once more.
      """)
    #expect(
      page.contains(
        """
        <div class="card">
        <p><strong>Now you:</strong> <a href="exercises.html#goals">Keep one</a>, 6 minutes: <code>swift run learn run KeepOne</code></p>
        </div>
        """))
    #expect(
      page.contains(
        "<div class=\"next\">\n<p><strong>Next:</strong> <a href=\"01-first.html\">The first</a>,\nonce more.</p>\n</div>"
      ))
  }

  @Test func `Notes stand behind their code, which has their numbers`() throws {
    let page = try page(
      """
      ```swift file=Chapters/02-SecondStep/Stack.swift region=body
      ```

      <!-- notes -->
      1. `let a`: is true.
      2. `"third"`: the last
         of them.
      """)
    #expect(page.contains("<div class=\"noted\">\n<figure class=\"snippet\""))
    #expect(page.contains("<b class=\"noted-1\" data-note=\"1\" aria-hidden=\"true\"></b>\n</span>"))
    let third = try #require(page.split(separator: "\n").first { $0.contains("third&quot;") })
    #expect(third.contains("data-note=\"2\""))
    #expect(
      page.contains(
        """
        <details class="line-notes">
        <summary>2 notes on this code</summary>
        <ol>
        <li><code>let a</code>: is true.</li>
        <li><code>&quot;third&quot;</code>: the last
        of them.</li>
        </ol>
        </details>
        </div>
        """))
  }

  @Test func `A section's parts have a mark and a name each`() throws {
    let page = try page("## Saving\n<!-- parts: context, SQL -->\n\nIt saves.")
    let marks = try #require(
      page.components(separatedBy: "<ul class=\"parts\"").dropFirst().first?.components(separatedBy: "</ul>")[0])
    #expect(marks.contains("<li class=\"part-context\"><svg ") && marks.contains("</svg>context</li>"))
    #expect(marks.contains("<li class=\"part-sql\"><svg ") && marks.contains("</svg>SQL</li>"))
  }

  @Test func `A prediction is folded, with its answer as a figure`() throws {
    let page = try page(
      """
      <details>
      <summary>Predict: what does <code>run</code> print?</summary>

      ```console transcript=01-First/run
      <done> & gone
      ```

      </details>
      """)
    #expect(
      page.contains("<details class=\"predict\">\n<summary><b>Predict:</b> what does <code>run</code> print?</summary>")
    )
    let inside = try #require(page.firstMatch(of: #/(?s)<details class="predict">.*?<\/details>/#))
    #expect(inside.0.contains("Output, checked: "))
  }

  @Test func `Questions stand together, and each answer is folded`() throws {
    let question =
      "**1. Which?**\n\n- This.\n- That.\n\n<details>\n<summary>Answer</summary>\n\nThis.\n\n</details>\n\n"
    let page = try page("## Five questions\n\n\(question)\(question.replacing("1.", with: "2."))## Exercises\n\nMore.")
    let inside = try #require(page.firstMatch(of: #/(?s)<div class="questions">(.*?)<\/div>/#))
    #expect(inside.1.components(separatedBy: "<details class=\"answer\">").count == 3)
    #expect(!inside.1.contains("<h2"))
    #expect(page.contains("<h2 id=\"exercises\">"))
  }

  private static let long = String(repeating: "Many words stand in this line. ", count: 12)

  @Test func `An aside stands in the margin beside its paragraph when the text is long enough`() throws {
    let page = try page("Before.\n\n> **Aside.** It is so. See [`a. B`](Stack.swift).\n\n\(Self.long)\n")
    #expect(
      page.contains(
        "<div class=\"beside\">\n<aside class=\"aside margin\" role=\"note\">\n<details>\n<summary>\n<strong>Aside.</strong> It is so.\n</summary>"
      ))
    #expect(page.contains("</details>\n</aside>\n<p>Before.</p>\n</div>"))
  }

  @Test func `An aside before code, or behind it, stays in the text`() throws {
    let code = "```swift file=Chapters/01-First/Stack.swift region=body\n```\n"
    let aside = "> **Aside.** It is so. \(String(repeating: "It goes on. ", count: 12))\n\n"
    let page = try page("Before.\n\n\(aside)\(code)\n\(aside)\(Self.long)")
    #expect(page.components(separatedBy: "<aside class=\"aside\" role=\"note\">").count == 3)
    #expect(!page.contains("class=\"beside\""))
  }

  @Test func `An aside of one sentence has no fold`() throws {
    let page = try page("> **Aside.** It is so, and `a.b` is too.\n")
    #expect(
      page.contains(
        "<aside class=\"aside\" role=\"note\">\n<p><strong>Aside.</strong> It is so, and <code>a.b</code> is too.</p>\n</aside>"
      ))
    #expect(!page.contains("<details>"))
  }

  @Test func `An aside whose first sentence has a link has no fold`() throws {
    let page = try page("> **Aside.** See [the first](../01-First/README.md). It goes on.\n")
    #expect(
      page.contains("<strong>Aside.</strong> See <a href=\"01-first.html\">the first</a>. It goes on.</p>\n</aside>"))
    #expect(!page.contains("<summary>\n"))
  }

  @Test func `What is folded on a screen is open on paper`() throws {
    let css = try Resource.text("book.css")
    let print = try #require(css.range(of: "@media print"))
    #expect(css[print.upperBound...].contains("details::details-content { content-visibility: visible;"))
  }

  @Test func `The exercises' page is in the bar, in the contents and in the row of pages`() throws {
    let built = try built("Words.")
    defer { built.remove() }
    #expect(built.pages["exercises.html"] != nil)
    let first = try #require(built.pages["index.html"])
    // In the bar, in the tree, and in the list of all pages.
    #expect(first.components(separatedBy: "href=\"exercises.html\"").count == 4)
    #expect(try #require(built.pages["03-third.html"]).contains("<a href=\"exercises.html\" rel=\"next\">"))
    #expect(try #require(built.pages["all.html"]).contains("id=\"exercises\""))
  }

  // MARK: The glossary

  private static let glossary = """
    # Glossary

    ## F

    ### Fault (ko x)

    A card of a "catalogue". It has no values.

    ### Merge policy, policy of merging

    Who wins.

    ### Store

    ## Sources

    ### Korean

    - a list

    """

  @Test func `The first use of a term is a link to what the glossary says, in one word or several, also as a plural`()
    throws
  {
    let page = try page(
      "Two Faults, a fault, default, a merge\npolicy, a store.\n\n- Korean merge policies.", glossary: Self.glossary)
    #expect(
      page.contains(
        "Two <a class=\"term\" href=\"h-glossary.html#fault-ko-x\" title=\"A card of a &quot;catalogue&quot;.\">Faults</a>, a fault, default, a <a class=\"term\" href=\"h-glossary.html#merge-policy-policy-of-merging\" title=\"Who wins.\">merge\npolicy</a>, a store."
      ), "\(page)")
    #expect(page.components(separatedBy: "class=\"term\"").count == 3)
  }

  @Test(
    arguments: [
      "## A fault", "A `fault`.", "A [fault](../01-First/README.md).", "| a fault |\n|---|\n| fault |",
      "> **Aside.** A fault.", "<details>\n<summary>A fault</summary>\n\nA fault.\n\n</details>", "A faulty one.",
    ])
  func `A term is no link in headings, code, links, tables, and what is folded or aside`(text: String) throws {
    #expect(!(try page(text, glossary: Self.glossary)).contains("class=\"term\""))
  }

  @Test func `The glossary itself has no such links, and a glossary without headings gives none`() throws {
    let built = try built("A fault.", glossary: Self.glossary)
    defer { built.remove() }
    #expect(try #require(built.pages["h-glossary.html"]).contains("class=\"term\"") == false)
    #expect(!(try page("A fault.", glossary: "# Glossary\n\n**Fault**. A card.\n")).contains("class=\"term\""))
  }
}

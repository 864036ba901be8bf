import BookText
import Foundation
import Testing

@testable import BookPages

let hasMarkdown = (try? MarkdownProgram()) != nil

@Suite("Building the pages") struct BookBuilderTests {
  @Test func `Without cmark-gfm one error says how to get it`() {
    #expect(throws: PagesProblem("The program cmark-gfm is not here. On Debian and Ubuntu: apt-get install cmark-gfm"))
    {
      try MarkdownProgram(path: "/nowhere:/neither")
    }
  }

  @Test func `A folder with something else in it is not replaced`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("mine".utf8).write(to: folder.appendingPathComponent("letter.txt"))
    #expect(throws: PagesProblem.self) { try OutputFolder(replacing: folder) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["letter.txt"])
  }

  @Test func `Only pages that were written before are replaced or removed, and other files are left alone`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ pages: [String]) throws {
      let output = try OutputFolder(replacing: folder, later: ["book.pdf"])
      defer { output.discard() }
      for page in pages { try output.write(page, to: page) }
      try output.takePlace()
    }
    func files() throws -> [String] {
      try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        .filter { !$0.hasPrefix(".") }.sorted()
    }
    func leave(_ name: String, _ text: String = "mine") throws {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }
    try write(["index.html", "old/a.html", "old/b/c.html", "notes/d.html"])
    try leave("letter.txt")
    try leave("notes/mine.txt")
    try leave("book.pdf", "printed")
    try write(["index.html", "new.html"])
    #expect(try files() == ["index.html", "letter.txt", "new.html", "notes", "notes/mine.txt"])

    // What was not written before stays as it is, and so do the pages.
    for name in ["more.html", "letter.txt/more.html"] {
      try leave("more.html")
      let error = #expect(throws: PagesProblem.self) { try write(["index.html", name]) }
      #expect(error?.description.hasPrefix(folder.resolvingSymlinksInPath().path + "/") == true)
      #expect(try String(contentsOf: folder.appendingPathComponent("more.html"), encoding: .utf8) == "mine")
      #expect(try files().contains("new.html"))
    }
    let beside = try FileManager.default.contentsOfDirectory(atPath: folder.deletingLastPathComponent().path)
    #expect(!beside.contains { $0.hasPrefix(".\(folder.lastPathComponent)-") })
  }

  @Test func `A list of pages that names files elsewhere, or through a link, removes none of them`() throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)")
    let (folder, other) = (place.appendingPathComponent("pages"), place.appendingPathComponent("other"))
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let letter = other.appendingPathComponent("letter.txt")
    try Data("mine".utf8).write(to: letter)
    func write() throws {
      let output = try OutputFolder(replacing: folder)
      try output.write("<p>", to: "index.html")
      try output.takePlace()
    }
    try write()
    try FileManager.default.createSymbolicLink(
      at: folder.appendingPathComponent("link"), withDestinationURL: other)
    let list = folder.appendingPathComponent(".pages")
    let text = try String(contentsOf: list, encoding: .utf8)
    try Data((text + "../other/letter.txt\n\(letter.path)\nlink/letter.txt\nlink\n").utf8).write(to: list)
    try write()
    #expect(try String(contentsOf: letter, encoding: .utf8) == "mine")
    #expect(try String(contentsOf: list, encoding: .utf8) == text)
  }

  @Test func `A link to a folder stays a link, and the folder that it leads to is filled`() throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)")
    let folder = place.appendingPathComponent("real")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let link = place.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
    let output = try OutputFolder(replacing: link)
    try output.write("<p>", to: "index.html")
    try output.takePlace()
    #expect(try link.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [".pages", "index.html"])
    #expect(throws: PagesProblem.self) { try OutputFolder(replacing: URL(fileURLWithPath: "/dev/null")) }
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `A book becomes pages whose tags match and whose links lead somewhere`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    #expect(
      Set(built.pages.keys.filter { !$0.hasPrefix("source/") })
        == ["index.html", "01-first.html", "02-second-step.html", "all.html", "apis.html"])
    for (file, html) in built.pages {
      #expect(unbalanced(html) == nil, "\(file): \(unbalanced(html) ?? "")")
      #expect(built.repeatedIDs(in: html) == [], "\(file)")
      #expect(!html.contains("<!--block"), "\(file)")
    }
    #expect(built.deadLinks == [])
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `A recorded run becomes a part of the page that asks for it`() throws {
    struct Lanes: RecordedFigures {
      let styleSheet = ".lane { color: red; }"
      func html(of record: Data, snippets: PageFolder.Snippets) throws -> String? {
        guard String(decoding: record, as: UTF8.self) == "[1]" else { return nil }
        var snippets = snippets
        let code = try snippets.figure(file: "Chapters/01-First/Stack.swift", "region=body")
        return "<h2 id=\"lanes\">Lanes</h2>\n<p>Drawn by queue.</p>\n\(code)<h3 id=\"more\">More <small>1</small></h3>"
      }
    }
    let root = try SmallBook.make()
    defer { try? FileManager.default.removeItem(at: root) }
    let folder = root.appendingPathComponent("Chapters/A-Figures")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("# Figures\n\n<!-- figures run.json -->\n".utf8).write(to: folder.appendingPathComponent("README.md"))
    try Data("[1]".utf8).write(to: folder.appendingPathComponent("run.json"))
    #expect(throws: PagesProblem.self) { try BuiltBook(root) }

    let built = try BuiltBook(root, figures: Lanes())
    let page = try #require(built.pages["a-figures.html"])
    #expect(
      page.contains("<p>Drawn by queue.</p>") && page.contains("href=\"source/Chapters-01-First-Stack.swift.html#L"))
    #expect(page.contains("<link rel=\"stylesheet\" href=\"figures.css\">"))
    #expect(page.contains("<li><a href=\"#lanes\">Lanes</a></li>"))
    #expect(
      try String(contentsOf: built.folder.appendingPathComponent("figures.css"), encoding: .utf8) == Lanes().styleSheet)
    let index = try String(contentsOf: built.folder.appendingPathComponent("search-index.js"), encoding: .utf8)
    #expect(index.contains("\"text\":\"Drawn by queue.\"") && index.contains("a-figures.html#more"))
    #expect(built.pages["all.html"]?.contains("Drawn by queue.") == false)
    #expect(unbalanced(page) == nil && built.deadLinks == [])

    try Data("[2]".utf8).write(to: folder.appendingPathComponent("run.json"))
    #expect(throws: PagesProblem.self) { try BuiltBook(root, figures: Lanes()) }
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `Headings have the ids that code hosts give them`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let page = try #require(built.pages["01-first.html"])
    for id in ["1-the-first", "output", "output-1"] { #expect(page.contains(" id=\"\(id)\"")) }
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `A snippet says where it is from, and tells shown lines from context`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let page = try #require(built.pages["01-first.html"])
    #expect(page.contains("<figure class=\"snippet\" id=\"Stack.swift-body\">"))
    #expect(page.contains("<a href=\"#Stack.swift-body\">Stack.swift</a>, in <code>func Stack.run()</code>"))
    #expect(page.contains("href=\"source/Chapters-01-First-Stack.swift.html#L4\">lines 4–6</a>"))
    #expect(page.contains(#/<span class="line i2 shown" data-number="4"><i>  <\/i><span/#))
    #expect(page.contains("<span class=\"line context\""))
    #expect(!page.contains("//&gt; body"))
    let second = try #require(built.pages["02-second-step.html"])
    #expect(second.contains("id=\"Stack.swift-body-2\""))
    // Without context there is nothing to tell the lines from.
    #expect(!second.contains("class=\"line shown\""))
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `Output says what it was checked with, and code without a check says so`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let page = try #require(built.pages["01-first.html"])
    #expect(page.contains("Output, checked: <a class=\"source\""))
    #expect(page.contains("The SQL that ran, checked: "))
    #expect(page.contains("In a terminal"))
    #expect(page.contains("Not checked: it does not compile"))
    #expect(page.contains("&lt;done&gt; &amp; gone"))
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `Output goes on in the next line where it is too long, but for tables`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let page = try #require(built.pages["02-second-step.html"])
    #expect(page.contains("<span class=\"line columns\">1     Emma"))
    #expect(page.contains("<span class=\"line\">done"))
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `A difference has removed and added lines marked by signs`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let page = try #require(built.pages["02-second-step.html"])
    #expect(
      page.contains("<del style=\"--indent: 0\"><span class=\"sign\">−</span><span class=\"indent\"></span>print("))
    #expect(page.components(separatedBy: "<ins ").count == 3)
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `Diagrams stand in the page, tables in boxes, and folders are no links`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let page = try #require(built.pages["01-first.html"])
    #expect(page.contains("<figure class=\"diagram\"><svg"))
    #expect(page.contains("<figcaption>A picture of two things</figcaption>"))
    #expect(page.contains("tabindex=\"0\"><table>"))
    #expect(page.contains("<th scope=\"row\">a</th>\n<td data-head=\"what it does\">b</td>"))
    #expect(page.contains("a folder,"))
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `The search's script has each section, without marks`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let script = try String(
      contentsOf: built.folder.appendingPathComponent("search-index.js"), encoding: .utf8)
    #expect(script.hasPrefix("const bookIndex = [{"))
    #expect(!script.contains("\"kind\":\"term\""))
    #expect(script.contains("\"place\":\"02-second-step.html#a-step\""))
    #expect(script.contains("What isn't there, isn't."))
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `A build that fails leaves the pages of the last one`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let text = built.root.appendingPathComponent("Chapters/01-First/README.md")
    try Data("# 1\n\n```swift file=Chapters/01-First/Stack.swift region=gone\n```\n".utf8).write(to: text)
    #expect(throws: BookProblem.self) { try BookBuilder(book: try Book(root: built.root)).build(into: built.folder) }
    #expect(FileManager.default.fileExists(atPath: built.folder.appendingPathComponent("01-first.html").path))
    let beside = try FileManager.default.contentsOfDirectory(atPath: built.folder.deletingLastPathComponent().path)
    #expect(beside.filter { $0.contains("pages-") } == [])
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `Each page has all pages at its side, with its own sections and sources below its name`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let page = try #require(built.pages["02-second-step.html"])
    let tree = try #require(page.firstMatch(of: #/(?s)<nav class="tree".*?<\/nav>/#)).0
    for file in ["index.html", "01-first.html", "apis.html", "all.html"] {
      #expect(tree.contains("<a href=\"\(file)\">"))
    }
    #expect(tree.contains("<a href=\"02-second-step.html\" aria-current=\"page\">"))
    #expect(tree.contains("<a href=\"#a-step\">A step</a>"))
    #expect(tree.contains("<a href=\"source/Chapters-02-SecondStep-Stack.swift.html\">Stack.swift</a>"))
    #expect(page.firstRange(of: "</h1>")!.upperBound < page.firstRange(of: "<nav class=\"tree\"")!.lowerBound)
    #expect(page.components(separatedBy: "<span class=\"unseen\">Previous: </span>").count == 3)
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `A source's page leads back to the sections that show it`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let source = try #require(built.pages["source/Chapters-02-SecondStep-Stack.swift.html"])
    #expect(source.contains("Shown in"))
    #expect(source.contains("<a href=\"../02-second-step.html#Stack.swift-body-difference\">2. The second: A step</a>"))
    #expect(source.contains("<a href=\"../source/Chapters-02-SecondStep-Stack.swift.html\" aria-current=\"page\">"))
    let notes = try #require(built.pages["source/NOTES.md.html"])
    #expect(notes.contains("<a href=\"../01-first.html#1-the-first\">1. The first</a>"))
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `The whole book has one title, and the chapters' stand a level below it`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let page = try #require(built.pages["all.html"])
    #expect(page.components(separatedBy: "<h1").count == 2)
    #expect(page.contains("<h2 id=\"01-first-1-the-first\" class=\"h1\">"))
    #expect(page.contains("<h3 id=\"01-first-output\" class=\"h2\">"))
  }

  @Test func `Words of a command stay whole, and paths end lines behind slashes`() {
    #expect(UnbrokenCode.html(of: "swift run X --fresh") == "swift run X <span class=\"whole-word\">--fresh</span>")
    #expect(
      UnbrokenCode.html(of: "Chapters/04-ContainerStack")
        == "Chapters/<wbr><span class=\"whole-word\">04-ContainerStack</span>")
    #expect(
      UnbrokenCode.html(of: "x-coredata://A/Book/p1")
        == "<span class=\"whole-word\">x-coredata://</span><wbr>A/<wbr>Book/<wbr>p1")
    #expect(UnbrokenCode.html(of: "--store /tmp/strata/Asking").hasSuffix(" /tmp/<wbr>strata/<wbr>Asking"))
    #expect(
      UnbrokenCode.html(of: "-com.apple.CoreData.SQLDebug 1")
        == "<span class=\"whole-word\">-com</span>.apple.CoreData.SQLDebug 1")
    #expect(
      Highlighter.html(of: "$ swift run X --fresh", language: "console")
        == "<span class=\"command\">$ swift run X <span class=\"whole-word\">--fresh</span></span>")
    #expect(UnbrokenCode.html(of: "context.save()") == "context.save()")
    #expect(!UnbrokenCode.html(of: String(repeating: "a-", count: 20)).contains("span"))
  }

  @Test func `A table becomes a list where its cells would be too narrow`() {
    let narrow = TableMarkup.classes(headings: ["key", "value"], rows: [["a", "1"], ["b", "2"]])
    #expect(narrow == [])
    let sentence = "It has a number of words in it."
    #expect(
      TableMarkup.classes(headings: ["a", "b", "c", "d"], rows: [["1", sentence, sentence, sentence]]) == [
        "list-on-phones"
      ])
    let many = Array(repeating: sentence, count: 8)
    #expect(TableMarkup.classes(headings: many, rows: [many]) == ["list-on-phones", "list-on-tablets"])
  }

  @Test func `A cell is as wide as its longest line, and a word may end at a place for a break`() {
    func table(_ cell: String) -> String {
      "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>\(cell)</td></tr></tbody></table>"
    }
    let parts = Array(repeating: String(repeating: "w", count: 20), count: 3)
    #expect(TableMarkup.html(of: table(parts.joined())).contains("list-on-phones"))
    #expect(!TableMarkup.html(of: table(parts.joined(separator: "<wbr>"))).contains("list-on-phones"))
    #expect(!TableMarkup.html(of: table(parts.joined(separator: "<br>"))).contains("list-on-phones"))
    #expect(
      TableMarkup.html(of: table("1"), label: "A & B", kind: "texts").hasPrefix(
        "<div class=\"table texts\" role=\"region\" aria-label=\"A &amp; B\" tabindex=\"0\">"))
  }
}

/// A book that was built, and what can be asked of its pages.
struct BuiltBook {
  let root: URL
  let folder: URL
  let pages: [String: String]

  init(_ root: URL, output: URL? = nil, figures: (any RecordedFigures)? = nil) throws {
    self.root = root
    folder = output ?? root.appendingPathComponent(".build/book")
    try BookBuilder(book: try Book(root: root), figures: figures).build(into: folder)
    var pages: [String: String] = [:]
    for file in try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap({ $0 as? String })
    where file.hasSuffix(".html") {
      pages[file] = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
    }
    self.pages = pages
  }

  func remove() { try? FileManager.default.removeItem(at: root) }

  func repeatedIDs(in html: String) -> [String] {
    Dictionary(grouping: values(of: ["id"], in: html)) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
  }

  /// Links and references inside of the book whose file or whose id isn't there.
  var deadLinks: [String] {
    let ids = pages.mapValues { Set(values(of: ["id"], in: $0)) }
    return pages.sorted { $0.key < $1.key }.flatMap { file, html in
      values(of: ["href", "src"], in: html).filter { $0.prefixMatch(of: #/[a-z]+:/#) == nil }.compactMap {
        link -> String? in
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let target = parts[0].isEmpty ? file : BookCheck.path(parts[0], from: file.folderOfFile)
        guard FileManager.default.fileExists(atPath: folder.appendingPathComponent(target).path) else {
          return "\(file): \(link)"
        }
        guard parts.count == 2, let known = ids[target] else { return nil }
        return known.contains(parts[1]) ? nil : "\(file): \(link)"
      }
    }
  }

  private func values(of names: [String], in html: String) -> [String] {
    HTMLPiece.pieces(of: html).flatMap { piece -> [String] in
      guard case .tag(let tag) = piece, !tag.isEnd else { return [] }
      return names.compactMap { tag[$0] }
    }
  }
}

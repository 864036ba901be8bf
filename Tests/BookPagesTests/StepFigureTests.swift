import BookText
import Foundation
import StepFrames
import Testing

@testable import BookPages

@Suite("Steppers") struct StepFigureTests {
  private static func frame(_ caption: String, _ objects: [StepFrame.Object], rows: [[String]]) -> String {
    let frame = StepFrame(
      caption: caption, contexts: [.init(name: "context", objects: objects)],
      tables: [.init(name: "ZBOOK", columns: ["Z_PK", "ZTITLE"], rows: rows)])
    return String(decoding: try! JSONEncoder().encode(frame), as: UTF8.self)
  }

  private static func book(_ title: String, row: Int?, _ state: StepFrame.Object.State) -> StepFrame.Object {
    let values = state == .fault ? [] : [StepFrame.Value(key: "title", text: title, isChanged: state == .updated)]
    return StepFrame.Object(entity: "Book", name: state == .fault ? nil : title, row: row, state: state, values: values)
  }

  private static let transcript = [
    "$ swift run First --steps one", #"{"recording":"One <b>"}"#,
    frame(
      "You make `a < b`.", [book("Emma & I", row: nil, .inserted), book("", row: 2, .fault)], rows: [["2", "Dracula"]]),
    "CoreData: sql: INSERT INTO ZBOOK(Z_PK, ZTITLE) VALUES(?, ?)",
    frame(
      "You save.", [book("Emma & I", row: 1, .clean), book("", row: 2, .fault)],
      rows: [["1", "Emma & I"], ["2", "Dracula"]]),
    frame("You delete.", [book("Emma & I", row: 1, .deleted)], rows: [["2", "Dracula"]]),
  ].joined(separator: "\n")

  private func figure() throws -> String {
    let recording = try StepRecording(Transcript(path: "Chapters/01-First/steps-one.transcript", text: Self.transcript))
    return StepFigure(recording: recording, id: "steps-one", source: "<a href=\"x\">steps-one.transcript</a>").html
  }

  @Test func `All frames are there, each with an anchor, its caption and what changed in words`() throws {
    let html = try figure()
    #expect(unbalanced(html) == nil)
    #expect(html.contains("<figure class=\"steps\" id=\"steps-one\" aria-label=\"One &lt;b&gt;, in 3 steps\">"))
    #expect(html.matches(of: #/<li class="step" id="steps-one-[1-3]">/#).count == 3)
    #expect(html.contains("<span class=\"step-number\">1</span> You make <code>a &lt; b</code>.</p>"))
    #expect(html.contains("What changed: Book &quot;Emma &amp; I&quot;: new → saved as row 1; INSERT INTO ZBOOK"))
  }

  @Test func `States are told by words, and what is other than before is marked`() throws {
    let frames = try figure().components(separatedBy: "<li class=\"step\"")
    #expect(frames[1].contains("<li class=\"step-object inserted\"><p><span class=\"step-sign\">+ </span><b>Book</b>"))
    #expect(
      frames[1].contains(
        "<li class=\"step-object fault\"><p><b>Book</b> <span class=\"step-quiet\">row 2</span>, <span class=\"step-state\">fault</span></p></li>"
      ))
    #expect(!frames[1].contains("<mark>"))
    #expect(frames[2].contains("<mark><span class=\"step-quiet\">row 1</span></mark>"))
    #expect(frames[2].contains("<td><mark>Emma &amp; I</mark></td>"))
    #expect(frames[2].contains("<td>Dracula</td>"))
    #expect(frames[2].contains("<mark>Nothing to save</mark>"))
    #expect(frames[3].contains("<mark>delete <s>Emma &amp; I</s></mark>"))
    #expect(frames[3].contains("<s>Book, row 2</s> <span class=\"step-state\">gone</span>"))
    #expect(frames[3].contains("<tr class=\"gone\"><td><s>1</s></td>"))
  }

  @Test func `Only a page with a stepper asks for its style and script, and both work from a folder`() throws {
    let template = try PageTemplate(book: "Book", places: [], tree: BookTree(pages: []))
    let page = RenderedPage(file: "source/a.html", title: "A", content: try figure(), sections: [])
    let html = template.html(of: page, neighbours: nil)
    #expect(html.contains("<link rel=\"stylesheet\" href=\"../stepper.css\">"))
    #expect(html.contains("<script src=\"../stepper.js\" defer></script>"))
    let plain = template.html(
      of: RenderedPage(file: "b.html", title: "B", content: "<p>b</p>", sections: []), neighbours: nil)
    #expect(!plain.contains("stepper"))
    let script = try Resource.text(StepFigure.script)
    for word in ["fetch(", "import ", "innerHTML"] { #expect(!script.contains(word)) }
  }

  @Test func `Without a script, and in print, no frame is hidden`() throws {
    let css = try Resource.text(StepFigure.style)
    let screen = try #require(css.range(of: "@media screen {"))
    for hiding in ["visibility: hidden", "opacity: 0"] {
      for found in css.ranges(of: hiding) { #expect(found.lowerBound > screen.lowerBound) }
    }
    for line in css.split(separator: "\n") where line.contains("visibility: hidden") {
      #expect(line.contains(".steps.running"))
    }
  }
}

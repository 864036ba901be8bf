import Foundation
import Testing

@testable import BookPages

@Suite("The printed book") struct PaperTests {
  @Test func `A PDF says on which page the places of links are`() {
    let pdf = """
      %PDF-1.4
      2 0 obj
      <</Type /Page
      /Parent 8 0 R>>
      endobj
      12 0 obj
      <</Type /Page
      /Parent 8 0 R>>
      endobj
      33 0 obj
      <</Type /Page
      /Parent 9 0 R>>
      endobj
      8 0 obj
      <</Type /Pages
      /Kids [12 0 R 2 0 R]>>
      endobj
      9 0 obj
      <</Type /Pages
      /Kids [33 0 R]>>
      endobj
      10 0 obj
      <</Type /Pages
      /Kids [8 0 R 9 0 R]>>
      endobj
      11 0 obj
      <</start [12 0 R /XYZ 0 796 0]
      /c#23 [2 0 R /XYZ 0 163.2 0]
      /01-manual-stack [33 0 R /XYZ 0 841 0]>>
      endobj
      13 0 obj
      <</Type /Catalog
      /Pages 10 0 R
      /Dests 11 0 R>>
      endobj

      """
    #expect(PrintedPages(Data(pdf.utf8)).numbers == ["start": 1, "c#": 2, "01-manual-stack": 3])
    #expect(PrintedPages(Data("%PDF-2.0 in another form".utf8)).numbers.isEmpty)
  }

  @Test(.enabled(if: hasMarkdown, "The program cmark-gfm is not here."))
  func `The list of contents takes the numbers of pages`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let whole = try #require(built.pages["all.html"])
    let numbered = WholeBook.numbered(whole, by: ["01-first": 3, "01-first-output": 4])
    #expect(numbered.contains("<span class=\"page-number\" data-of=\"01-first\">3</span>"))
    #expect(numbered.contains("<span class=\"page-number\" data-of=\"01-first-output\">4</span>"))
    #expect(numbered.contains("<span class=\"page-number\" data-of=\"02-second-step\"></span>"))
  }

  @Test(.enabled(if: hasMarkdown && (try? PaperProgram()) != nil, "The program cmark-gfm or Chromium is not here."))
  func `A printed book has a page for each chapter, and its list says which`() throws {
    let built = try BuiltBook(SmallBook.make())
    defer { built.remove() }
    let file = try PaperProgram().print(built.folder)
    let numbers = PrintedPages(try Data(contentsOf: file)).numbers
    let (first, second) = (try #require(numbers["01-first"]), try #require(numbers["02-second-step"]))
    #expect(1 < first && first < second)
    #expect(!FileManager.default.fileExists(atPath: built.folder.appendingPathComponent("numbered.html").path))
  }
}

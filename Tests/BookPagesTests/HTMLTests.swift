import Testing

@testable import BookPages

@Suite("Balanced markup") struct HTMLTests {
  @Test func `HTML that is taken apart is the same when it is put together`() {
    let html = "<!-- a > b --><p class=\"x\">1 &lt; 2<br/><a href=\"?a&amp;b\" title=\"ab\">t</a></p>\n"
    #expect(HTMLPiece.pieces(of: html).html == html)
  }

  @Test func `Attributes are read without the names of characters`() throws {
    let tag = try #require(HTMLTag("<a href=\"?a&amp;b\" hidden>"))
    #expect(tag["href"] == "?a&b")
    #expect(tag["hidden"] == "")
    #expect(tag["title"] == nil)
  }

  @Test func `A declaration is no tag`() {
    #expect(HTMLTag("<!DOCTYPE html>") == nil)
  }

  @Test func `Ids get other names, and what refers to them follows`() {
    let html = """
      <svg aria-labelledby="a b"><title id="a">T</title><path marker-end="url(#b)"/><a href="#a">x</a><a href="c.html#a">y</a></svg>
      """
    #expect(
      HTMLIDs.mapped(html) { "p-\($0)" } == """
        <svg aria-labelledby="p-a p-b"><title id="p-a">T</title><path marker-end="url(#p-b)"/><a href="#p-a">x</a><a href="c.html#a">y</a></svg>
        """)
  }

  @Test func `A diagram that is shown twice has other ids the second time`() {
    var shelf = DiagramShelf()
    let svg = "<svg aria-labelledby=\"t\"><title id=\"t\">T</title></svg>\n"
    #expect(shelf.html(of: svg, named: "a") == "<svg aria-labelledby=\"t\"><title id=\"t\">T</title></svg>")
    #expect(shelf.html(of: svg, named: "a") == "<svg aria-labelledby=\"t-2\"><title id=\"t-2\">T</title></svg>")
    #expect(shelf.html(of: svg, named: "b").contains("id=\"t\""))
  }
}

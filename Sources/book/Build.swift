import ArgumentParser
import BookPages
import BookText
import ComparisonPages
import Foundation

extension BookCommand {
  struct Build: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes pages of the texts: plain HTML that opens from its folder.",
      discussion: """
        Needs the program cmark-gfm (Debian: apt-get install cmark-gfm). Pages that were written before are \
        replaced when all new ones are there; other files in the folder stay. Check the book first: the pages show what the texts say.
        """)

    @OptionGroup var place: Place

    @Option(help: ArgumentHelp("The folder to write to (default: .build/book in the checkout).", valueName: "folder"))
    var output: String?

    @Flag(help: "Print the whole book into the folder too, as book.pdf. Needs Chromium.")
    var pdf = false

    func run() throws {
      let printer = pdf ? try PaperProgram() : nil
      let book = try place.book()
      let folder = PagesFolder.url(output, of: book)
      let result = try BookBuilder(book: book, figures: RecordedRuns(root: book.root)).build(into: folder)
      print("\(result.pageCount) pages, \(result.sourceCount) sources, \(result.nameCount) names in the index of APIs.")
      print("Open \(folder.appendingPathComponent("index.html").path)")
      if let printer { print("Printed \(try printer.print(folder).path)") }
    }
  }

  struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Serves the built pages to the browsers on this machine.",
      discussion:
        "You can read without it: the pages also open from their folder. It ends after a while without requests.")

    @OptionGroup var place: Place

    @Option(help: ArgumentHelp("The folder of the pages (default: .build/book in the checkout).", valueName: "folder"))
    var output: String?

    @Option(help: "The port on the loopback interface.")
    var port: UInt16 = 8000

    @Option(help: "End after this many minutes without a request.")
    var idleMinutes: Double = 30

    func validate() throws {
      if !(idleMinutes > 0) { throw ValidationError("--idle-minutes must be above zero.") }
    }

    func run() async throws {
      let folder = PagesFolder.url(output, of: try place.book())
      print("http://127.0.0.1:\(port)/index.html")
      try await BookServer(folder: folder, port: port, idleMinutes: idleMinutes).run()
    }
  }
}

enum PagesFolder {
  static func url(_ option: String?, of book: Book) -> URL {
    option.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? book.root.appendingPathComponent(".build/book")
  }
}

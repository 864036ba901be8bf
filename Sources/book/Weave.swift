import ArgumentParser
import BookText

extension BookCommand {
  struct Weave: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes into the texts what their blocks quote, and fills in the cards.",
      discussion: """
        Copies the code of each fence that names a file from that file, and a card's title, minutes and command from the \
        exercise's guide. Nothing else in a text changes. A block whose source can't be found stays as it is, and is \
        reported.
        """)

    @OptionGroup var place: Place

    func run() throws {
      let (changed, problems) = try Weaver(book: try place.book()).weave()
      for path in changed { print("woven: \(path)") }
      if changed.isEmpty, problems.isEmpty { print("The texts show what the sources have.") }
      try report(problems)
    }
  }
}

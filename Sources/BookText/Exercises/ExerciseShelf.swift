import Foundation

/// The exercises that the book's texts refer to: their names and guides.
package struct ExerciseShelf: Sendable {
  package static let folder = "Chapters/Exercises/Exercises"

  package struct Entry: Sendable {
    package let name: ExerciseName
    package let guide: Guide
    /// The guide's text.
    package let text: String

    /// The path from the package's root.
    package var path: String { "\(ExerciseShelf.folder)/\(name.text)/Guide.md" }

    /// The line on which the guide names its section; 1 if it names none.
    package var chapterLine: Int {
      (text.components(separatedBy: "\n").firstIndex { $0.hasPrefix("Chapter:") } ?? 0) + 1
    }

    /// The command that starts the exercise. It has no number, so that texts stay the same when exercises are
    /// renumbered.
    package var command: String { "swift run learn run \(name.subject)" }
  }

  /// The entries in the order of the exercises.
  package let entries: [Entry]

  package init(book: Book) {
    entries = ExerciseName.all(in: book.root.appendingPathComponent(Self.folder)).map { name in
      let text = (try? book.text("\(Self.folder)/\(name.text)/Guide.md")) ?? ""
      return Entry(name: name, guide: Guide(text), text: text)
    }
  }

  /// The exercise that a card refers to by its title or name, or by the name in its command.
  package func index(of card: TeachingBlock.Card) -> Int? {
    index(of: card.title) ?? card.commandName.flatMap(index(of:))
  }

  /// - Parameter words: a title, or a name with or without its number.
  package func index(of words: String) -> Int? {
    let wanted = words.lowercased()
    return entries.firstIndex { entry in
      [entry.guide.title, entry.name.text, entry.name.subject].contains { $0.lowercased() == wanted }
    }
  }

  /// The card that follows from the exercise's guide: one line, followed by the author's additions. Nil if there is no
  /// such exercise.
  package func woven(_ card: TeachingBlock.Card) -> String? {
    guard let index = index(of: card) else { return nil }
    let entry = entries[index]
    let minutes = entry.guide.minutes == 1 ? "1 minute" : "\(entry.guide.minutes) minutes"
    return "> **Now you:** [\(entry.guide.title)](\(Self.link)), \(minutes): `\(entry.command)`"
      + card.rest.replacing("\n", with: "\n> ")
  }

  /// The link from a page to the list of exercises.
  package static let link = "../Exercises/README.md#goals"
}

import Foundation

/// The exercises as the book's texts speak of them: their names, and what their guides say.
package struct ExerciseShelf: Sendable {
  package static let folder = "Chapters/Exercises/Exercises"

  package struct Entry: Sendable {
    package let name: ExerciseName
    package let guide: Guide
    /// The guide's text.
    package let text: String

    /// From the package's root.
    package var path: String { "\(ExerciseShelf.folder)/\(name.text)/Guide.md" }

    /// Where the guide says to which section it belongs; 1 if it says so nowhere.
    package var chapterLine: Int {
      (text.components(separatedBy: "\n").firstIndex { $0.hasPrefix("Chapter:") } ?? 0) + 1
    }

    /// What starts it. The number is left out, so that texts stay as they are when exercises get other numbers.
    package var command: String { "swift run learn run \(name.subject)" }
  }

  /// In their order.
  package let entries: [Entry]

  package init(book: Book) {
    entries = ExerciseName.all(in: book.root.appendingPathComponent(Self.folder)).map { name in
      let text = (try? book.text("\(Self.folder)/\(name.text)/Guide.md")) ?? ""
      return Entry(name: name, guide: Guide(text), text: text)
    }
  }

  /// The exercise that a card means: by its title or its name, else by the name in its command.
  package func index(of card: TeachingBlock.Card) -> Int? {
    index(of: card.title) ?? card.commandName.flatMap(index(of:))
  }

  /// - Parameter words: A title, or a name with its number or without.
  package func index(of words: String) -> Int? {
    let wanted = words.lowercased()
    return entries.firstIndex { entry in
      [entry.guide.title, entry.name.text, entry.name.subject].contains { $0.lowercased() == wanted }
    }
  }

  /// The card as its exercise's guide has it, in one line but for what the author has added; nil if there is no such
  /// exercise.
  package func woven(_ card: TeachingBlock.Card) -> String? {
    guard let index = index(of: card) else { return nil }
    let entry = entries[index]
    let minutes = entry.guide.minutes == 1 ? "1 minute" : "\(entry.guide.minutes) minutes"
    return "> **Now you:** [\(entry.guide.title)](\(Self.link)), \(minutes): `\(entry.command)`"
      + card.rest.replacing("\n", with: "\n> ")
  }

  /// From a page's folder to the list of exercises.
  package static let link = "../Exercises/README.md#goals"
}

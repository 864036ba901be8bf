import Foundation

/// The name of an exercise's folder, `06-FetchOne`: its number, and what it is about.
package struct ExerciseName: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  /// With its zero, as the folder has it: `06`.
  package var number: String { String(text.prefix { $0 != "-" }) }

  /// `FetchOne`
  package var subject: String { String(text.dropFirst(number.count + 1)) }

  /// The exercises' folders in a folder, by number, so that 9 comes before 10 and 100 after 42.
  package static func all(in folder: URL) -> [ExerciseName] {
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
      .filter { $0.first?.isNumber == true && $0.contains("-") }
    return inOrder(names).map(ExerciseName.init)
  }

  package static func inOrder(_ names: [String]) -> [String] {
    names.sorted {
      let (left, right) = (Int($0.prefix { $0.isNumber }) ?? 0, Int($1.prefix { $0.isNumber }) ?? 0)
      return left == right ? $0 < $1 : left < right
    }
  }
}

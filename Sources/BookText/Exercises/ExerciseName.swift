import Foundation

/// The name of an exercise's folder, such as `06-FetchOne`: its number and its subject.
package struct ExerciseName: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  /// The number as in the folder's name, with its zero: `06`.
  package var number: String { String(text.prefix { $0 != "-" }) }

  /// The subject: `FetchOne`.
  package var subject: String { String(text.dropFirst(number.count + 1)) }

  /// The exercises in a folder, ordered by number, so that 9 comes before 10 and 100 after 42.
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

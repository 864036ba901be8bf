import BookText
import Foundation

/// Gives the exercises the numbers of their sections' order, so that a new one can stand in the middle.
package struct Numbering {
  let course: Course

  package init(course: Course) { self.course = course }

  /// The names that change, by the numbers of today. Exercises of one section keep their order; one whose section isn't
  /// there comes last.
  package var changes: [(from: String, to: String)] {
    let order = ReadingOrder(course: course)
    let places = course.exercises.enumerated().map {
      (index: $0.offset, place: order.place(of: $0.element.guide.chapter))
    }
    let sorted = places.sorted { left, right in
      switch (left.place, right.place) {
      case (let first?, let second?) where first != second: return first < second
      case (_?, nil): return true
      case (nil, _?): return false
      default: return left.index < right.index
      }
    }
    let width = max(2, "\(course.exercises.count)".count)
    return sorted.enumerated().compactMap { number, item in
      let exercise = course.exercises[item.index]
      let digits = "\(number + 1)"
      let name = String(repeating: "0", count: width - digits.count) + digits + "-" + exercise.subject
      return name == exercise.name ? nil : (exercise.name, name)
    }
  }

  /// Renames the folders, and writes the numbers into the names of the suites. A learner's files follow at their next
  /// call.
  ///
  /// - Returns: What was renamed.
  package func apply() throws -> [(from: String, to: String)] {
    let changes = changes
    let folder = course.exercisesFolder
    // By way of names that no exercise has, since two may change places.
    for (from, to) in changes {
      try FileManager.default.moveItem(
        at: folder.appendingPathComponent(from), to: folder.appendingPathComponent("Renumbered-\(to)"))
    }
    for (_, to) in changes {
      let place = folder.appendingPathComponent(to, isDirectory: true)
      try FileManager.default.moveItem(at: folder.appendingPathComponent("Renumbered-\(to)"), to: place)
      for file in SourceFolder.files(in: place.appendingPathComponent("Tests", isDirectory: true)) {
        let text = try String(contentsOf: file, encoding: .utf8)
        let number = ExerciseName(to).number
        try Data(text.replacing(#/@Suite\("\d+ /#, with: "@Suite(\"\(number) ").utf8).write(to: file)
      }
    }
    return changes
  }
}

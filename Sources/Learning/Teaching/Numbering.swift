import BookText
import Foundation

/// Numbers the exercises in the order of their sections, so that a new one can be added in the middle.
package struct Numbering {
  let course: Course

  package init(course: Course) { self.course = course }

  /// The names that change, in the new order. Exercises of one section keep their order. An exercise with a missing
  /// section comes last.
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

  /// Renames the folders and changes the numbers in the names of the suites. A learner's files follow at the learner's
  /// next command.
  ///
  /// - Returns: the old and the new names.
  package func apply() throws -> [(from: String, to: String)] {
    let changes = changes
    let folder = course.exercisesFolder
    // Renames by way of unused names, since two exercises may swap their names.
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

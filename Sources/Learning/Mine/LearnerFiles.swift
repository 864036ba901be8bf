import BookText
import Foundation

/// The learner's own copies of the stubs. Nothing that a learner wrote is ever overwritten or removed.
package struct LearnerFiles {
  let course: Course

  package init(course: Course) { self.course = course }

  package enum Preparation: Equatable {
    /// The stub was copied for the first time.
    case copied
    case present
    /// The names of files that were missing from the learner's folder, and copied again.
    case putBack([String])
  }

  /// The files to edit.
  package func files(_ exercise: Exercise) -> [URL] {
    SourceFolder.files(in: exercise.stub).map { course.mine(exercise).appendingPathComponent($0.lastPathComponent) }
  }

  /// Returns whether the learner's files still equal the stub.
  package func isUntouched(_ exercise: Exercise) -> Bool {
    SourceFolder.files(in: exercise.stub).allSatisfy { stub in
      (try? Data(contentsOf: stub))
        == (try? Data(contentsOf: course.mine(exercise).appendingPathComponent(stub.lastPathComponent)))
    }
  }

  /// Copies missing files from the stub.
  ///
  /// - Parameter hasBegun: whether the learner saw the exercise before, so that a missing file was deleted.
  package func prepare(_ exercise: Exercise, hasBegun: Bool) throws -> Preparation {
    let folder = course.mine(exercise)
    let isNew = !hasBegun && !FileManager.default.fileExists(atPath: folder.path)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var copied: [String] = []
    for stub in SourceFolder.files(in: exercise.stub) {
      let place = folder.appendingPathComponent(stub.lastPathComponent)
      guard !FileManager.default.fileExists(atPath: place.path) else { continue }
      try Data(contentsOf: stub).write(to: place, options: .withoutOverwriting)
      copied.append(stub.lastPathComponent)
    }
    if copied.isEmpty { return .present }
    return isNew ? .copied : .putBack(copied)
  }

  /// Moves the learner's files to `Mine/Saved` and copies the stub again.
  ///
  /// - Returns: the saved files; empty if no file differed from the stub.
  package func reset(_ exercise: Exercise) throws -> [URL] {
    let own = SourceFolder.files(in: course.mine(exercise))
    let toSave = own.filter { file in
      (try? Data(contentsOf: file))
        != (try? Data(contentsOf: exercise.stub.appendingPathComponent(file.lastPathComponent)))
    }
    try FileManager.default.createDirectory(at: course.saved, withIntermediateDirectories: true)
    let number = nextNumber(exercise)
    var places: [URL] = []
    for file in toSave {
      // The first keeps the short name; most exercises have one file.
      let suffix = places.isEmpty ? "" : "-" + file.deletingPathExtension().lastPathComponent
      let place = course.saved.appendingPathComponent("\(exercise.name)-\(number)\(suffix).swift")
      try FileManager.default.moveItem(at: file, to: place)
      places.append(place)
    }
    _ = try prepare(exercise, hasBegun: true)
    return places
  }

  private func nextNumber(_ exercise: Exercise) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: course.saved.path)) ?? []
    let numbers = names.compactMap { name -> Int? in
      guard name.hasPrefix(exercise.name + "-") else { return nil }
      return Int(name.dropFirst(exercise.name.count + 1).prefix { $0.isNumber })
    }
    return (numbers.max() ?? 0) + 1
  }

  /// Renames the learner's folders of exercises that have another number now.
  ///
  /// A folder whose new name is taken moves to `Mine/Saved`, so that both are kept.
  ///
  /// - Returns: The old and the new places.
  package func follow() throws -> [(from: URL, to: URL)] {
    var moves: [(from: URL, to: URL)] = []
    let names = Set(course.exercises.map(\.name))
    for name in ExerciseName.all(in: course.mine) where !names.contains(name.text) {
      guard let exercise = course.exercises.first(where: { $0.subject == name.subject }) else { continue }
      let old = course.mine.appendingPathComponent(name.text, isDirectory: true)
      let place = try freePlace(for: name.text, instead: course.mine(exercise))
      try FileManager.default.moveItem(at: old, to: place)
      moves.append((old, place))
    }
    return moves
  }

  /// Returns `wanted` if nothing exists there, otherwise a free folder in `Mine/Saved`.
  private func freePlace(for name: String, instead wanted: URL) throws -> URL {
    guard FileManager.default.fileExists(atPath: wanted.path) else { return wanted }
    try FileManager.default.createDirectory(at: course.saved, withIntermediateDirectories: true)
    var number = 1
    var place: URL
    repeat {
      place = course.saved.appendingPathComponent("\(name)-\(number)", isDirectory: true)
      number += 1
    } while FileManager.default.fileExists(atPath: place.path)
    return place
  }

  /// Returns the first file and line with this text.
  package func line(of text: String, in exercise: Exercise) -> (file: URL, line: Int)? {
    for file in SourceFolder.files(in: course.mine(exercise)) {
      let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").components(separatedBy: "\n")
      if let index = lines.firstIndex(where: { $0.contains(text) }) { return (file, index + 1) }
    }
    return nil
  }
}

/// A stamp that changes when a file in a folder is saved.
package enum FileStamp {
  /// Names, times and sizes of the folder's Swift files.
  package static func of(_ folder: URL) -> String {
    SourceFolder.files(in: folder).map { file in
      var info = stat()
      guard stat(file.path, &info) == 0 else { return "\(file.lastPathComponent)?" }
      return "\(file.lastPathComponent) \(info.st_mtim.tv_sec).\(info.st_mtim.tv_nsec) \(info.st_size)"
    }.joined(separator: "; ")
  }
}

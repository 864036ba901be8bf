import BookText
import Foundation

/// One exercise: a folder with a guide, a stub, a solution and tests.
package struct Exercise: Sendable {
  /// The folder's name: `01-AddTheStore`.
  package let name: String
  package let folder: URL
  package let guide: Guide

  package init(name: String, folder: URL, guide: Guide) {
    self.name = name
    self.folder = folder
    self.guide = guide
  }

  /// The number as in the folder's name, with its zero: `01`.
  package var number: String { ExerciseName(name).number }

  /// The name without its number: `AddTheStore`.
  package var subject: String { ExerciseName(name).subject }

  /// The number and the title: `01 Add the store`.
  package var title: String { "\(number) \(guide.title)" }

  /// The type that holds its tests.
  package var suite: String { subject + "Tests" }

  package var stub: URL { folder.appendingPathComponent("Stub", isDirectory: true) }
  package var solution: URL { folder.appendingPathComponent("Solution", isDirectory: true) }
  package var tests: URL { folder.appendingPathComponent("Tests", isDirectory: true) }

  /// The names of its tests, which are sentences, in order. They are read from the source without a build.
  package var sentences: [String] {
    SourceFolder.files(in: tests).flatMap { file in
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      return text.matches(of: #/@Test\(\s*"((?:[^"\\]|\\.)*)"/#).map {
        String($0.1).replacingOccurrences(of: #"\""#, with: "\"").replacingOccurrences(of: #"\\"#, with: #"\"#)
      }
    }
  }
}

/// The Swift files of a folder.
package enum SourceFolder {
  /// The files, sorted by name; empty if the folder doesn't exist.
  package static func files(in folder: URL) -> [URL] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".") }.sorted()
      .map { folder.appendingPathComponent($0) }
  }
}

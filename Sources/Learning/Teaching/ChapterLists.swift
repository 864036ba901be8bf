import BookText
import Foundation
import OutputFiles

/// Writes the list of exercises at the end of a chapter, from the guides. A page has a list if it has the marks.
package struct ChapterLists {
  let course: Course

  package init(course: Course) { self.course = course }

  static let begin = "<!-- exercises: written by `swift run learn goals` -->"
  static let end = "<!-- end of exercises -->"

  /// The lines between the marks.
  package func lines(_ folder: String) -> [String] {
    let exercises = course.exercises.filter { $0.guide.chapter.folder == folder }
    guard !exercises.isEmpty else { return ["This chapter has no exercise of `swift run learn`."] }
    return ["Exercises of `swift run learn`, which check themselves:", ""]
      + exercises.map { exercise in
        "- [\(exercise.guide.title)](\(ExerciseShelf.link)), \(exercise.guide.minutes) minutes: "
          + "`swift run learn run \(exercise.subject)`"
      }
  }

  /// A page's text with the right list; nil if the page has no place for one.
  package func written(into text: String, folder: String) -> String? {
    let all = text.components(separatedBy: "\n")
    guard let first = all.firstIndex(of: Self.begin), let last = all.firstIndex(of: Self.end), first < last else {
      return nil
    }
    return (all[...first] + [""] + lines(folder) + [""] + all[last...]).joined(separator: "\n")
  }

  /// The pages whose list is outdated, with the text that they should have. Also the problems of pages that have
  /// exercises but no place for a list.
  package func outdated() -> (pages: [(folder: String, text: String)], problems: [String]) {
    var pages: [(String, String)] = []
    var problems: [String] = []
    let named = Set(course.exercises.map(\.guide.chapter.folder))
    for folder in course.chapterFolders {
      guard let text = course.text(of: folder)?.lines.joined(separator: "\n") else { continue }
      if let right = written(into: text, folder: folder) {
        if right != text { pages.append((folder, right)) }
      } else if named.contains(folder) {
        problems.append("Chapters/\(folder)/README.md has exercises and no place for their list: \(Self.begin)")
      }
    }
    return (pages, problems)
  }

  package func problems() -> [String] {
    let (pages, problems) = outdated()
    return problems
      + pages.map {
        "Chapters/\($0.folder)/README.md has another list of exercises; write it by: swift run learn goals"
      }
  }

  /// Writes the outdated lists.
  package func write() throws {
    for (folder, text) in outdated().pages {
      try OutputFile.write(Data(text.utf8), to: course.root.appendingPathComponent("Chapters/\(folder)/README.md").path)
    }
  }
}

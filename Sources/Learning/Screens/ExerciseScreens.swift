import Foundation

/// What the learner reads. Pure: from given results to lines.
package struct ExerciseScreens {
  let course: Course
  let progress: Progress
  let hasColours: Bool

  package init(course: Course, progress: Progress, hasColours: Bool = false) {
    self.course = course
    self.progress = progress
    self.hasColours = hasColours
  }

  func screen() -> Screen { Screen(hasColours: hasColours) }

  private var counted: String { course.exercises.count == 1 ? "1 exercise" : "\(course.exercises.count) exercises" }

  // MARK: The beginning

  package func welcome() -> Screen {
    var screen = screen()
    screen.say("\(counted), each with a file to finish and tests that say when it is right.", .strong)
    screen.say("1. Open the file that is named below, and find its TODO.", indent: 2)
    screen.say("2. Make true what it says; the named section of the book says how.", indent: 2)
    screen.say("3. Save, and call again: swift run learn", indent: 2)
    screen.say("Stuck: swift run learn hint. At every save by itself: swift run learn watch.", indent: 2)
    screen.blank()
    return screen
  }

  package func firstBuild() -> Screen {
    var screen = screen()
    screen.say(
      "Building the module CoreData, its model compiler and this exercise. That is once, and takes two or three "
        + "minutes on two cores; afterwards a build takes a second or two.", .faint)
    return screen
  }

  package func head(_ exercise: Exercise) -> Screen {
    var screen = screen()
    screen.say(Screen.bar(progress.passedCount(of: course.exercises), of: course.exercises.count))
    screen.blank()
    screen.say("\(exercise.title) (about \(exercise.guide.minutes) minutes)", .strong)
    screen.field("Goal", exercise.guide.goal)
    for file in LearnerFiles(course: course).files(exercise) { screen.path("Edit", course.shown(file)) }
    return screen
  }

  func appendSection(_ exercise: Exercise, to screen: inout Screen, _ name: String) {
    screen.path(name, course.shown(course.chapterFile(exercise.guide.chapter)))
    if let heading = course.heading(exercise.guide.chapter) { screen.field("", "section \"\(heading)\"") }
  }

  /// An exercise that waits for its first edit.
  package func introduction(_ exercise: Exercise) -> Screen {
    var screen = head(exercise)
    appendSection(exercise, to: &screen, "Read")
    screen.blank()
    let sentences = exercise.sentences
    if !sentences.isEmpty {
      screen.say("What is to be true:")
      for sentence in sentences { screen.say("- " + sentence, indent: 2, hanging: 2) }
      screen.blank()
    }
    screen.say("When you have edited it: swift run learn", .faint)
    return screen
  }

  package func prepared(_ preparation: LearnerFiles.Preparation, _ exercise: Exercise) -> Screen {
    var screen = screen()
    if case .putBack(let files) = preparation {
      screen.say(
        "\(files.joined(separator: ", ")) was not in your folder of \(exercise.name). The exercise's own file is there again.",
        .bad)
      screen.blank()
    }
    return screen
  }

  package func keptAside(_ file: URL) -> Screen {
    var screen = screen()
    screen.say("Your progress file has lines that can't be read. It is kept as", .bad)
    screen.path("", course.shown(file))
    screen.say("and what could be read of it is kept here too.", .bad)
    screen.blank()
    return screen
  }

  // MARK: The end

  package func allDone() -> Screen {
    var screen = screen()
    screen.say(Screen.bar(progress.passedCount(of: course.exercises), of: course.exercises.count))
    screen.blank()
    let skipped = course.exercises.filter { progress[$0.name].passed == nil }
    if skipped.isEmpty {
      screen.say("All done: \(counted).", .good)
    } else {
      screen.say("All exercises are done but \(skipped.count) that you skipped:")
      for exercise in skipped { screen.say(exercise.title, indent: 2) }
      screen.say("Take one up again: swift run learn run \(skipped[0].number)", .faint)
    }
    return screen
  }

  // MARK: Other pages

  package func list() -> Screen {
    var screen = screen()
    screen.say(Screen.bar(progress.passedCount(of: course.exercises), of: course.exercises.count))
    let current = progress.current(of: course.exercises)?.name
    let chapters = Dictionary(grouping: course.exercises) { $0.guide.chapter.folder }
    for chapter in chapters.keys.sorted() {
      screen.blank()
      screen.say(course.chapterTitle(chapter), .strong)
      for exercise in chapters[chapter]! { appendRow(exercise, isCurrent: exercise.name == current, to: &screen) }
    }
    screen.blank()
    screen.code(["[x] passed   [-] skipped   [>] the next"], .faint)
    return screen
  }

  private func appendRow(_ exercise: Exercise, isCurrent: Bool, to screen: inout Screen) {
    let entry = progress[exercise.name]
    let (mark, tone): (String, Screen.Tone) =
      entry.passed != nil ? ("x", .good) : entry.isSkipped ? ("-", .faint) : isCurrent ? (">", .strong) : (" ", .plain)
    screen.say("[\(mark)] \(exercise.title)\(counts(entry))", tone, indent: 2, hanging: 4)
  }

  private func counts(_ entry: Progress.Entry) -> String {
    var parts: [String] = []
    if entry.attempts > 0 { parts.append(entry.attempts == 1 ? "1 attempt" : "\(entry.attempts) attempts") }
    if entry.hints > 0 { parts.append(entry.hints == 1 ? "1 hint" : "\(entry.hints) hints") }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }

  /// - Parameter number: from 1.
  package func hint(_ number: Int, _ exercise: Exercise) -> Screen {
    var screen = screen()
    let hints = exercise.guide.hints
    guard hints.indices.contains(number - 1) else {
      screen.say("\(exercise.title) has no hints.", .bad)
      return screen
    }
    screen.say("\(exercise.title): hint \(number) of \(hints.count)", .strong)
    screen.blank()
    var isCode = false
    for line in hints[number - 1].components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        isCode.toggle()
      } else if isCode {
        screen.code([line], indent: 4)
      } else {
        screen.say(line, indent: 2)
      }
    }
    screen.blank()
    let left = hints.count - number
    screen.say(left == 0 ? "That was the last hint." : "\(left) more: swift run learn hint", .faint)
    return screen
  }
}

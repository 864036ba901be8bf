import Foundation

/// Makes the screens that the learner reads. They depend only on the values given to it.
package struct ExerciseScreens {
  let course: Course
  let progress: Progress
  let hasColours: Bool
  /// Whether saving a file runs the tests.
  let isWatching: Bool

  package init(course: Course, progress: Progress, hasColours: Bool = false, isWatching: Bool = false) {
    self.course = course
    self.progress = progress
    self.hasColours = hasColours
    self.isWatching = isWatching
  }

  func screen() -> Screen { Screen(hasColours: hasColours) }

  private var counted: String { course.exercises.count == 1 ? "1 exercise" : "\(course.exercises.count) exercises" }

  // MARK: Beginning

  package func welcome() -> Screen {
    var screen = screen()
    screen.say("\(counted). You finish a file, and its tests tell you when it is right.", .strong)
    screen.say("1. Open the file named below, and find its TODO.", indent: 2)
    screen.say("2. Make it true. The named section of the book tells you how.", indent: 2)
    if isWatching {
      screen.say("3. Save. This window runs the tests each time you do.", indent: 2)
      screen.say("Stuck? swift run learn hint, in another window.", indent: 2)
    } else {
      screen.say("3. Save, and run it again: swift run learn", indent: 2)
      screen.say("Stuck? swift run learn hint. To run it at every save: swift run learn watch.", indent: 2)
    }
    screen.blank()
    return screen
  }

  package func firstBuild(hasModule: Bool) -> Screen {
    var screen = screen()
    screen.say(
      hasModule
        ? "Building the first exercise; the module CoreData is built already. This takes half a minute. "
          + "After that a build takes a second or two."
        : "Building the module CoreData, its model compiler and this exercise. This happens once, and takes two or "
          + "three minutes on two cores. After that a build takes a second or two.", .faint)
    return screen
  }

  package func head(_ exercise: Exercise) -> Screen {
    var screen = screen()
    screen.say(Screen.bar(progress.passedCount(of: course.exercises), of: course.exercises.count))
    screen.blank()
    screen.say("\(exercise.title) (about \(exercise.guide.minutes) minutes)", .strong)
    screen.field("Goal", exercise.guide.goal)
    for file in LearnerFiles(course: course).files(exercise) { screen.path("Edit", course.shown(file)) }
    if !exercise.guide.model.isEmpty { screen.field("Model", words(ofModel: exercise.guide.model)) }
    return screen
  }

  /// The model's name, with its entities if it is the shared model.
  private func words(ofModel name: String) -> String {
    guard let model = try? ExerciseModel(course: course), model.name == name else { return name }
    return "\(name): \(model.entityNames.joined(separator: ", ")) (all of it: swift run learn model)"
  }

  func appendSection(_ exercise: Exercise, to screen: inout Screen, _ name: String) {
    screen.path(name, course.shown(course.chapterFile(exercise.guide.chapter)))
    if let heading = course.heading(exercise.guide.chapter) { screen.field("", "section \"\(heading)\"") }
  }

  /// The screen for an exercise that the learner hasn't edited yet.
  package func introduction(_ exercise: Exercise) -> Screen {
    var screen = head(exercise)
    appendSection(exercise, to: &screen, "Read")
    screen.blank()
    let sentences = exercise.sentences
    if !sentences.isEmpty {
      screen.say("What your code has to make true:")
      for sentence in sentences { screen.say("- " + sentence, indent: 2, hanging: 2) }
      screen.blank()
    }
    screen.say(
      isWatching
        ? "Edit the file and save it. Its tests run when you do." : "When you have edited it: \(command("", exercise))",
      .faint)
    return screen
  }

  /// The command to type: `swift run learn hint`, with the exercise's number if it isn't the current one. For "" it is
  /// the command that runs the exercise.
  func command(_ name: String, _ exercise: Exercise) -> String {
    let isCurrent = progress.current(of: course.exercises)?.name == exercise.name
    let words = isCurrent ? [name] : [name.isEmpty ? "run" : name, exercise.number]
    return (["swift run learn"] + words.filter { !$0.isEmpty }).joined(separator: " ")
  }

  // MARK: The model

  package func model(_ model: ExerciseModel) -> Screen {
    var screen = screen()
    screen.say("\(model.name), the model that most exercises share", .strong)
    screen.path("", course.shown(model.folder))
    let rows = model.entities.flatMap(\.properties)
    let names = rows.map(\.name.count).max() ?? 0
    let types = rows.map(\.type.count).max() ?? 0
    for entity in model.entities {
      screen.blank()
      screen.say(entity.name, .strong)
      for property in entity.properties {
        let line = property.name.padded(names) + "  " + property.type.padded(types) + "  " + property.facts
        screen.code([String(line.reversed().drop { $0 == " " }.reversed())], indent: 2)
      }
    }
    screen.blank()
    screen.say("Each entity has a generated class of the same name, with a Swift property for each of these.", .faint)
    return screen
  }

  package func prepared(_ preparation: LearnerFiles.Preparation, _ exercise: Exercise) -> Screen {
    var screen = screen()
    if case .putBack(let files) = preparation {
      screen.say(
        "\(files.joined(separator: ", ")) was gone from your folder \(exercise.name). A fresh copy is there now.",
        .bad)
      screen.blank()
    }
    return screen
  }

  package func keptAside(_ file: URL) -> Screen {
    var screen = screen()
    screen.say("Your progress file has lines that can't be read. It was moved to", .bad)
    screen.path("", course.shown(file))
    screen.say("What could be read still counts.", .bad)
    screen.blank()
    return screen
  }

  /// Says which folders moved; empty if none did.
  package func renumbered(_ moves: [(from: URL, to: URL)]) -> Screen {
    var screen = screen()
    guard !moves.isEmpty else { return screen }
    screen.say(
      "Exercises have new numbers in this edition of the book. Your work and your progress moved along:", .strong)
    for move in moves { screen.path("", "\(move.from.lastPathComponent) is now \(course.shown(move.to))") }
    screen.blank()
    return screen
  }

  // MARK: End

  package func allDone() -> Screen {
    var screen = screen()
    screen.say(Screen.bar(progress.passedCount(of: course.exercises), of: course.exercises.count))
    screen.blank()
    let skipped = course.exercises.filter { progress[$0.name].passed == nil }
    if skipped.isEmpty {
      screen.say("All done: \(counted).", .good)
    } else {
      screen.say("You have done all exercises except \(skipped.count) that you skipped:")
      for exercise in skipped { screen.say(exercise.title, indent: 2) }
      screen.say("To take one up again: swift run learn run \(skipped[0].number)", .faint)
    }
    return screen
  }

  // MARK: Other screens

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

  /// - Parameter number: the hint's number, counted from 1.
  package func hint(_ number: Int, _ exercise: Exercise) -> Screen {
    var screen = screen()
    let hints = exercise.guide.hints
    guard hints.indices.contains(number - 1) else {
      screen.say("\(exercise.title) has no hints.", .bad)
      return screen
    }
    screen.say("\(exercise.title): hint \(number) of \(hints.count)", .strong)
    screen.blank()
    screen.markdown(hints[number - 1], indent: 2)
    let left = hints.count - number
    if left > 0 {
      screen.say("\(left) more: \(command("hint", exercise))", .faint)
    } else {
      screen.say(
        "That was the last hint. The book's solution: swift run learn solution \(exercise.number) --show", .faint)
    }
    if !isWatching { screen.say("Try it: \(command("", exercise))", .faint) }
    return screen
  }
}

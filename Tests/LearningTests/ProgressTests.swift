import Foundation
import Learning
import Testing

@Suite("Progress and the learner's files")
struct ProgressTests {
  let small: SmallCourse
  let date = Date(timeIntervalSince1970: 1_700_000_000)

  init() throws { small = try SmallCourse() }

  @Test("What is written is read again")
  func roundTrip() throws {
    var progress = Progress()
    progress["02-CountRows"].attempts = 3
    progress["02-CountRows"].hints = 2
    progress["02-CountRows"].passed = date
    progress["03-UndoOnce"].isSkipped = true
    let file = try small.course().progressFile
    try ProgressFile.write(progress, to: file)
    #expect(
      try String(contentsOf: file, encoding: .utf8) == """
        # Progress in the exercises, written by `swift run learn`. A line for each one begun.
        02-CountRows passed=2023-11-14T22:13:20Z attempts=3 hints=2
        03-UndoOnce skipped attempts=0 hints=0

        """)
    let (read, keptAside) = try ProgressFile.read(file)
    #expect(read == progress)
    #expect(keptAside == nil)
  }

  @Test("Without a file, nothing is done yet")
  func noFile() throws {
    let (progress, keptAside) = try ProgressFile.read(try small.course().progressFile)
    #expect(progress == Progress())
    #expect(keptAside == nil)
  }

  @Test("A file that can't be read in full is kept aside each time, and what can be read is kept")
  func unreadable() throws {
    let path = small.path("Mine", "progress.txt")
    for (number, text) in ["01-AddTheStore attempts=1 hints=0\n<<<<<<< ours\n", "01-AddTheStore attempts=many\n"]
      .enumerated()
    {
      try small.write(path, text)
      let (progress, keptAside) = try ProgressFile.read(try small.course().progressFile)
      #expect(keptAside?.lastPathComponent == "progress-unreadable-\(number + 1).txt")
      #expect(try small.read(small.path("Mine", "progress-unreadable-\(number + 1).txt")) == text)
      #expect(progress["01-AddTheStore"].attempts == (number == 0 ? 1 : 0))
    }
    try Data([0xFF, 0xFE, 0x00]).write(to: small.root.appendingPathComponent(path))
    #expect(
      try ProgressFile.read(try small.course().progressFile).keptAside?.lastPathComponent == "progress-unreadable-3.txt"
    )
  }

  @Test("The current exercise is the first that is neither passed nor skipped")
  func current() throws {
    let exercises = try small.course().exercises
    var progress = Progress()
    #expect(progress.current(of: exercises)?.name == "01-AddTheStore")
    progress["02-CountRows"].passed = date
    progress["01-AddTheStore"].isSkipped = true
    #expect(progress.current(of: exercises)?.name == "03-UndoOnce")
    progress["03-UndoOnce"].passed = date + 5
    #expect(progress.current(of: exercises) == nil)
    #expect(progress.lastPassed(of: exercises)?.name == "03-UndoOnce")
    #expect(progress.passedCount(of: exercises) == 2)
  }

  @Test("A stub is copied once, and what the learner has is never overwritten")
  func copying() throws {
    let exercise = try small.exercise(0)
    let files = LearnerFiles(course: try small.course())
    #expect(try files.prepare(exercise, hasBegun: false) == .copied)
    #expect(files.isUntouched(exercise))
    try small.writeMine(exercise, "mine")
    #expect(try files.prepare(exercise, hasBegun: true) == .present)
    #expect(try small.readMine(exercise) == "mine")
    #expect(!files.isUntouched(exercise))
  }

  @Test("A deleted file is put back, and so is a deleted folder")
  func deleted() throws {
    let exercise = try small.exercise(0)
    let files = LearnerFiles(course: try small.course())
    _ = try files.prepare(exercise, hasBegun: false)
    try FileManager.default.removeItem(at: files.files(exercise)[0])
    #expect(try files.prepare(exercise, hasBegun: true) == .putBack(["AddTheStore.swift"]))
    try FileManager.default.removeItem(at: try small.course().mine(exercise))
    #expect(try files.prepare(exercise, hasBegun: true) == .putBack(["AddTheStore.swift"]))
  }

  @Test("Each reset keeps what was there under a number of its own")
  func resets() throws {
    let exercise = try small.exercise(0)
    let files = LearnerFiles(course: try small.course())
    _ = try files.prepare(exercise, hasBegun: false)
    for number in 1...3 {
      try small.writeMine(exercise, "attempt \(number)")
      #expect(try files.reset(exercise).map(\.lastPathComponent) == ["01-AddTheStore-\(number).swift"])
      #expect(files.isUntouched(exercise))
    }
    for number in 1...3 {
      #expect(try small.read(small.path("Mine/Saved", "01-AddTheStore-\(number).swift")) == "attempt \(number)")
    }
    #expect(try files.reset(exercise) == [])
  }

  @Test("A number that is still in use is not given again, even when an earlier one is free")
  func gaps() throws {
    let exercise = try small.exercise(0)
    let files = LearnerFiles(course: try small.course())
    try small.write(small.path("Mine/Saved", "01-AddTheStore-7.swift"), "seventh")
    try small.writeMine(exercise, "mine")
    #expect(try files.reset(exercise).map(\.lastPathComponent) == ["01-AddTheStore-8.swift"])
    #expect(try small.read(small.path("Mine/Saved", "01-AddTheStore-7.swift")) == "seventh")
  }

  @Test("A reset of a deleted file loses nothing, and keeps a file that the learner added")
  func resetDeleted() throws {
    let exercise = try small.exercise(0)
    let files = LearnerFiles(course: try small.course())
    #expect(try files.reset(exercise) == [])
    try small.writeMine(exercise, "mine")
    try small.write(small.path("Mine/01-AddTheStore", "Helper.swift"), "helper")
    #expect(
      try files.reset(exercise).map(\.lastPathComponent) == ["01-AddTheStore-1.swift", "01-AddTheStore-1-Helper.swift"])
    #expect(!small.exists(small.path("Mine/01-AddTheStore", "Helper.swift")))
  }

  @Test("A folder's stamp changes with a save, a new file and a deletion")
  func stamps() throws {
    let exercise = try small.exercise(0)
    let folder = try small.course().mine(exercise)
    var seen = Set([FileStamp.of(folder)])
    try small.writeMine(exercise, "a")
    #expect(seen.insert(FileStamp.of(folder)).inserted)
    try small.writeMine(exercise, "ab")
    #expect(seen.insert(FileStamp.of(folder)).inserted)
    try small.write(small.path("Mine/01-AddTheStore", "More.swift"), "")
    #expect(seen.insert(FileStamp.of(folder)).inserted)
    #expect(FileStamp.of(folder) == FileStamp.of(folder))
  }

  // MARK: New numbers

  /// The course in another edition, where the same exercises have other numbers.
  func renumbered() throws -> SmallCourse { try SmallCourse(["01-UndoOnce", "02-AddTheStore", "03-CountRows"]) }

  @Test("An old progress file counts in a course with other numbers")
  func followedProgress() throws {
    var progress = Progress()
    progress["01-AddTheStore"].passed = date
    progress["01-AddTheStore"].attempts = 3
    progress["03-UndoOnce"].isSkipped = true
    progress["04-TakenOut"].hints = 2
    progress.follow(try renumbered().course().exercises)
    #expect(progress["02-AddTheStore"].passed == date)
    #expect(progress["02-AddTheStore"].attempts == 3)
    #expect(progress["01-UndoOnce"].isSkipped)
    #expect(!progress.hasBegun("01-AddTheStore"))
    #expect(progress["04-TakenOut"].hints == 2, "what belongs to no exercise stays")
    let once = progress
    progress.follow(try renumbered().course().exercises)
    #expect(progress == once)
  }

  @Test("Two notes on one exercise are joined: passed once is passed, and attempts add up")
  func joined() throws {
    var progress = Progress()
    progress["01-AddTheStore"].passed = date + 9
    progress["01-AddTheStore"].attempts = 3
    progress["07-AddTheStore"].passed = date
    progress["07-AddTheStore"].hints = 1
    progress["02-AddTheStore"].isSkipped = true
    progress["02-AddTheStore"].attempts = 2
    progress.follow(try renumbered().course().exercises)
    let entry = progress["02-AddTheStore"]
    #expect(entry.passed == date)
    #expect(!entry.isSkipped)
    #expect(entry.attempts == 5)
    #expect(entry.hints == 1)
    #expect(progress.entries.count == 1)
  }

  @Test("A learner's folders move to the new numbers with all that is in them")
  func followedFolders() throws {
    let new = try renumbered()
    try new.write(new.path("Mine/01-AddTheStore", "AddTheStore.swift"), "mine")
    try new.write(new.path("Mine/01-AddTheStore", "Helper.swift"), "helper")
    try new.write(new.path("Mine/09-TakenOut", "TakenOut.swift"), "old")
    let moves = try LearnerFiles(course: try new.course()).follow()
    #expect(moves.map(\.from.lastPathComponent) == ["01-AddTheStore"])
    #expect(try new.read(new.path("Mine/02-AddTheStore", "AddTheStore.swift")) == "mine")
    #expect(try new.read(new.path("Mine/02-AddTheStore", "Helper.swift")) == "helper")
    #expect(!new.exists(new.path("Mine", "01-AddTheStore")))
    #expect(new.exists(new.path("Mine/09-TakenOut", "TakenOut.swift")))
    #expect(try LearnerFiles(course: try new.course()).follow().isEmpty)
  }

  @Test("A folder whose new name is taken is kept among the saved ones, each time under a name of its own")
  func followedTwice() throws {
    let new = try renumbered()
    try new.write(new.path("Mine/02-AddTheStore", "AddTheStore.swift"), "new")
    for text in ["old", "older"] {
      try new.write(new.path("Mine/01-AddTheStore", "AddTheStore.swift"), text)
      _ = try LearnerFiles(course: try new.course()).follow()
    }
    #expect(try new.read(new.path("Mine/02-AddTheStore", "AddTheStore.swift")) == "new")
    #expect(try new.read(new.path("Mine/Saved/01-AddTheStore-1", "AddTheStore.swift")) == "old")
    #expect(try new.read(new.path("Mine/Saved/01-AddTheStore-2", "AddTheStore.swift")) == "older")
  }

  @Test("A call after the renumbering moves files and progress, says so once, and goes on where the learner was")
  func followedSession() throws {
    let new = try renumbered()
    try new.write(new.path("Mine/02-CountRows", "CountRows.swift"), "mine")
    try new.write(
      new.path("Mine", "progress.txt"),
      "01-AddTheStore passed=2023-11-14T22:13:20Z attempts=1 hints=0\n02-CountRows attempts=2 hints=1\n")
    var text = ""
    let session = try Session(course: try new.course(), runner: FakeRunner()) { text += $0 }
    #expect(
      text == """
        Exercises have new numbers in this edition of the book. Your work and your
        progress moved along:
                  02-CountRows is now Chapters/Exercises/Exercises/Mine/03-CountRows


        """)
    #expect(session.current?.name == "01-UndoOnce")
    #expect(session.progress["03-CountRows"].attempts == 2)
    #expect(try new.read(new.path("Mine", "progress.txt")).contains("02-AddTheStore passed=2023-11-14T22:13:20Z"))
    text = ""
    _ = try Session(course: try new.course(), runner: FakeRunner()) { text += $0 }
    #expect(text == "")
  }

  @Test("A class's old files count in the report")
  func followedReport() throws {
    var progress = Progress()
    progress["01-AddTheStore"].passed = date
    let report = ProgressReport(
      exercises: try renumbered().course().exercises, learners: [.init(name: "anna", progress: progress)])
    #expect(report.screen().text.contains("anna     .x.  1 of 3"))
  }
}

import Foundation
import Testing

@testable import Learning

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
}

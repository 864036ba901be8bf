import ArgumentParser
import Foundation
import Learning

struct Continue: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "continue", abstract: "Runs the first open exercise. This is what `swift run learn` does.")

  @OptionGroup var place: Place
  @Flag(help: "Print how long the plan, the build and the tests took.") var timings = false

  func run() throws {
    try answering {
      let session = try place.session()
      session.showsTimings = timings
      if !(try session.goOn()) { throw ExitCode.failure }
    }
  }
}

struct Hint: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Shows the next hint.")

  @OptionGroup var place: Place
  @Argument(help: "The exercise, by number or name. Without it: the current one.") var name: String?

  func run() throws {
    try answering {
      let session = try place.session()
      guard let exercise = try name.map(session.course.exercise(named:)) ?? session.current else {
        throw LearningProblem("No exercise is open. Name one: swift run learn hint 3")
      }
      try session.hint(exercise)
    }
  }
}

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Lists all exercises with their state.")

  @OptionGroup var place: Place

  func run() throws { try answering { try place.session().list() } }
}

struct Skip: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Leaves the current exercise for later and shows the next.", aliases: ["next"])

  @OptionGroup var place: Place

  func run() throws { try answering { try place.session().skip() } }
}

struct Model: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the data model that most exercises share.")

  @OptionGroup var place: Place

  func run() throws { try answering { try place.session().model() } }
}

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Shows what an exercise asks, without running it.")

  @OptionGroup var place: Place
  @Argument(help: "The exercise, by number or name.") var name: String

  func run() throws {
    try answering {
      let session = try place.session()
      try session.introduce(try session.course.exercise(named: name))
    }
  }
}

struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Runs the tests of one exercise.")

  @OptionGroup var place: Place
  @Argument(help: "The exercise, by number or name.") var name: String
  @Flag(help: "Print how long the plan, the build and the tests took.") var timings = false

  func run() throws {
    try answering {
      let session = try place.session()
      session.showsTimings = timings
      if !(try session.run(try session.course.exercise(named: name))) { throw ExitCode.failure }
    }
  }
}

struct Reset: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Starts an exercise over. What you wrote is kept in Mine/Saved.")

  @OptionGroup var place: Place
  @Argument(help: "The exercise, by number or name. Without it: the current one.") var name: String?

  func run() throws {
    try answering {
      let session = try place.session()
      guard let exercise = try name.map(session.course.exercise(named:)) ?? session.current else {
        throw LearningProblem("No exercise is open. Name one: swift run learn reset 3")
      }
      try session.reset(exercise)
    }
  }
}

struct Solution: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows how the book solves an exercise, as a difference from yours.")

  @OptionGroup var place: Place
  @Argument(help: "The exercise, by number or name. Without it: the one you passed last.") var name: String?
  @Flag(help: "Show it before you have passed; without a name, the current one's.") var show = false

  func run() throws {
    try answering {
      let session = try place.session()
      let chosen = show ? session.current : session.progress.lastPassed(of: session.course.exercises)
      guard let exercise = try name.map(session.course.exercise(named:)) ?? chosen else {
        throw LearningProblem(
          "No exercise is passed yet. See the current one's solution: swift run learn solution --show")
      }
      try session.solution(exercise, evenOpen: show)
    }
  }
}

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the current exercise again whenever its file is saved. ^C ends it.")

  @OptionGroup var place: Place
  @Flag(help: "Print how long the plan, the build and the tests took.") var timings = false

  func run() throws {
    try answering {
      let session = try place.session()
      session.showsTimings = timings
      session.isWatching = true
      var stamp: String?
      while let exercise = session.current {
        let now = FileStamp.of(session.course.mine(exercise))
        guard now != stamp else {
          usleep(300_000)
          try session.reloadProgress()
          continue
        }
        try session.goOn()
        // If a file was saved while the tests ran, they run again. Copying the next exercise doesn't count as saving.
        stamp =
          session.current?.name == exercise.name && !now.isEmpty
          ? now : session.current.map { FileStamp.of(session.course.mine($0)) } ?? ""
        if session.current != nil { Terminal.write("Watching: save the file to run its tests again; ^C ends it.\n\n") }
      }
    }
  }
}

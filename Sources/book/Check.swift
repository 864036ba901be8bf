import ArgumentParser
import BookText
import Foundation

extension BookCommand {
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Compares the texts with the sources, and the output they show with what the programs print.",
      discussion: """
        Fails on code or output that differs from the source or the program, on an unknown region or one never shown, on \
        marks that do not match, on a line too long for the page, on a dead link, on a chapter without a chapter's form, and \
        on a text without the book's voice. Each problem names the line to fix.

        While you write a chapter: swift run book check --text-only --page 03
        """)

    @OptionGroup var place: Place

    @Option(
      help: ArgumentHelp(
        "The folder of the built programs (default: build them, and use the folder of this one).", valueName: "folder"))
    var programs: String?

    @Flag(help: "Do not run the programs.")
    var textOnly = false

    @Flag(help: "Write into the transcripts what the programs print now. Look at the difference before you commit it.")
    var bless = false

    @Option(
      help: ArgumentHelp(
        "Report only files whose path contains this, and sum up what these pages have.", valueName: "part of a path"))
    var page: String?

    func validate() throws {
      if bless, textOnly {
        throw ValidationError("--bless runs the programs, and --text-only does not. Use only one of them.")
      }
    }

    func run() throws {
      let book = try place.book()
      let check = BookCheck(book: book)
      let runner = textOnly ? nil : TranscriptRunner(programs: try builtPrograms(root: book.root), root: book.root)
      if bless, let runner {
        let (changed, problems, skipped) = try check.bless(programs: runner)
        for path in changed { print("written: \(path)") }
        listSkipped(skipped)
        try report(problems)
      }
      let result = check.run(programs: bless ? nil : runner, form: true)
      if page != nil { summariseForm(result, book) }
      try report(result.problems.filter { isAsked($0.file) })
      summarise(result, book)
    }

    private func isAsked(_ path: String) -> Bool { page.map { path.contains($0) } ?? true }

    private func summariseForm(_ result: BookCheck.Result, _ book: Book) {
      for form in PageForm.all(of: book, problems: result.problems) where isAsked(form.page.path) { print(form) }
    }

    private func summarise(_ result: BookCheck.Result, _ book: Book) {
      listSkipped(result.skipped)
      let verified = result.blockCount - result.unchecked.count
      print(
        "Pages: \(book.pages.count). Transcripts: \(result.transcriptCount)\(ran(result)).")
      print("Blocks of code and output: \(verified) of \(result.blockCount) verified, \(result.verifiedShare) %.")
      for block in result.unchecked { print("  not verified: \(block.page):\(block.line): \(block.reason)") }
    }

    private func ran(_ result: BookCheck.Result) -> String {
      if textOnly { return ", not run" }
      return result.skipped.isEmpty ? ", all run" : ", all run but \(result.skipped.count)"
    }

    private func listSkipped(_ skipped: [SkippedTranscript]) {
      for skip in skipped { print("  not run: \(skip.path): \(skip.reason)") }
    }

    private func builtPrograms(root: URL) throws -> URL {
      if let programs { return URL(fileURLWithPath: programs, isDirectory: true) }
      let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      print("Building the chapters' programs.")
      let build = Process()
      build.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      build.arguments = [
        "swift", "build", "--configuration", own.lastPathComponent == "release" ? "release" : "debug", "--quiet",
      ]
      build.currentDirectoryURL = root
      build.standardOutput = FileHandle.nullDevice
      try build.run()
      build.waitUntilExit()
      guard build.terminationStatus == 0 else {
        throw BookProblem(file: "Package.swift", "the chapters' programs can't be built")
      }
      return own
    }
  }
}

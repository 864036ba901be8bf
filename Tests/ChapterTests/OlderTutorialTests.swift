import BuiltPrograms
import CoreData
import Foundation
import OlderTutorialChapter
import TestFiles
import Testing

@Suite("Page B: from an older tutorial", .serialized)
@MainActor
struct OlderTutorialTests {
  private static let refused = packageRoot.appendingPathComponent("Chapters/B-OlderTutorial/Refused")

  @Test(
    "The compiler refuses a listing with the words that its last line has",
    arguments: ["OwnClosure", "ThreadAsCondition", "UndeclaredContainer", "UserInfoOfAnError"])
  func refusedListing(name: String) throws {
    let file = Self.refused.appendingPathComponent("\(name).swift")
    let expected = try #require(
      String(contentsOf: file, encoding: .utf8).split(separator: "\n").last.map { String($0.dropFirst("// ".count)) })
    let built = try #require(BuiltProgram.url("OlderTutorial")).deletingLastPathComponent()
    let maps = [
      packageRoot.appendingPathComponent("Sources/CSQLite/module.modulemap"),
      packageRoot.appendingPathComponent("Sources/CZlib/module.modulemap"),
      built.appendingPathComponent("CSwiftRuntime.build/module.modulemap"),
    ]
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments =
      [
        "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "5", "-I",
        built.appendingPathComponent("Modules").path,
      ]
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] } + [file.path]
    let pipe = Pipe()
    compiler.standardError = pipe
    compiler.standardOutput = FileHandle.nullDevice
    try compiler.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    compiler.waitUntilExit()
    #expect(compiler.terminationStatus != 0)
    #expect(expected.hasPrefix("error: "))
    #expect(said.contains(expected), "\(said)")
  }

  @Test("No listing in the folder is left out of the test above")
  func allListings() throws {
    #expect(try FileManager.default.contentsOfDirectory(atPath: Self.refused.path).count == 4)
  }

  @Test(
    "Each line ends its program by a signal, and the template's error is on standard error only",
    arguments: Ending.allCases)
  func endings(ending: Ending) throws {
    let folder = TemporaryFolder()
    let outcome = try ProgramRunner.run("OlderTutorial", ["--end", ending.rawValue], store: folder.url)
    #expect(outcome.exitCode < 0)
    #expect(outcome.output.isEmpty)
    if ending == .template { #expect(outcome.errors.contains("Unresolved error")) }
    if ending == .confinement { #expect(outcome.errors.contains("created with a queue")) }
  }

  @Test("The program says where yesterday's lines go wrong")
  func program() throws {
    let folder = TemporaryFolder()
    let outcome = try ProgramRunner.run("OlderTutorial", ["--fresh"], store: folder.url)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("there is a main thread:  true"))
    #expect(outcome.output.contains("this is the main thread: false"))
    #expect(outcome.output.contains("the file holds 2 rows"))
    #expect(outcome.output.components(separatedBy: "by a signal").count == Ending.allCases.count + 1)
  }
}

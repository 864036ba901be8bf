import BookText
import ChapterSetups
import Foundation
import Testing

@testable import Comparison

@Suite("The set-ups' code")
struct SetupSourcesTests {
  static func sources() throws -> SetupSources {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return try SetupSources(root: root)
  }

  @Test("Each step of each set-up quotes code that is there, or says why it has none")
  func steps() throws {
    let sources = try Self.sources()
    for type in ChapterSetups.all + ChapterSetups.later {
      #expect(type.info.steps.map(\.kind) == SetupStep.Kind.allCases, "\(type.info.id)")
      for step in type.info.steps {
        #expect(!step.code.isEmpty || step.note != nil, "\(type.info.id) \(step.kind)")
        for place in step.code { #expect(throws: Never.self) { try sources.quotation(of: place) } }
      }
      #expect(sources.lineCount(of: type.info) ?? 0 > 10, "\(type.info.id)")
    }
  }

  @Test("No two set-ups have the same name")
  func names() {
    let all = ChapterSetups.all + ChapterSetups.later
    #expect(Set(all.map { $0.info.id }).count == all.count)
  }

  @Test("Lines are counted without comments and empty lines, and once where two steps share them")
  func counting() throws {
    let sources = try Self.sources()
    let file = "Chapters/04-ContainerStack/NotesStack.swift"
    let place = CodePlace.region("view-context", in: file)
    let quotation = try sources.quotation(of: place)
    let code = quotation.lines.filter { !$0.text.hasPrefix("//") && !$0.text.isEmpty }
    #expect(code.count < quotation.lines.count)
    let once = SetupInfo(
      id: "a", title: "", summary: "", modelName: "", storeName: "", steps: [SetupStep(.context, [place])])
    let twice = SetupInfo(
      id: "a", title: "", summary: "", modelName: "", storeName: "",
      steps: [SetupStep(.context, [place]), SetupStep(.saving, [place])])
    #expect(sources.lineCount(of: once) == code.count)
    #expect(sources.lineCount(of: twice) == code.count)
  }

  @Test("A place that is gone is no count of zero")
  func missingPlace() throws {
    let info = SetupInfo(
      id: "a", title: "", summary: "", modelName: "", storeName: "",
      steps: [SetupStep(.store, [.region("gone", in: "Chapters/04-ContainerStack/NotesStack.swift")])])
    #expect(try Self.sources().lineCount(of: info) == nil)
  }

  @Test("Who makes an object is read off the code")
  func makers() throws {
    let sources = try Self.sources()
    func maker(_ object: String, _ id: String) throws -> String? {
      let type = try #require((ChapterSetups.all + ChapterSetups.later).first { $0.info.id == id })
      return sources.objects(of: type.info).first { $0.object == object }?.maker
    }
    #expect(try maker("coordinator", "manual") == "own code")
    #expect(try maker("coordinator", "container") == "container")
    #expect(try maker("container", "manual") == "none")
    #expect(try maker("model", "controller") == "own code")
    #expect(try maker("view context", "child") == "own code")
    #expect(try maker("writing context", "container") == "none")
    #expect(try maker("writing context", "enqueue") == "container")
    #expect(try maker("container", "swiftdata") == "own code")
    #expect(try maker("model", "swiftdata") == "macro")
    #expect(try maker("view context", "swiftdata") == "container")
    #expect(try maker("writing context", "swiftdata") == "macro")
  }

  @Test("Two set-ups are told apart by a difference of their code, step by step")
  func pair() throws {
    var report = try ReportTests.example()
    report.setups = report.setups.filter { ["manual", "container"].contains($0.info.id) }
    for index in report.setups.indices {
      let type = try #require(ChapterSetups.all.first { $0.info.id == report.setups[index].info.id })
      report.setups[index].info = type.info
    }
    let text = try #require(PairText(report, sources: try Self.sources())).text
    #expect(text.contains("-  let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)"))
    #expect(text.contains("+++ NotesStack.swift"))
    for fault in report.faults { #expect(text.contains(fault.title)) }
    report.setups.removeLast()
    #expect(PairText(report, sources: nil) == nil)
  }
}

@Suite("A reader's own set-up")
struct ReaderSetupTests {
  @Test("The classes that conform are found by the file's text")
  func types() {
    let source = """
      import Comparison
      /// class Comment: StackSetup
      struct Other {}
      public final class First: StackSetup {
      }
      @MainActor final class Second: NSObject, StackSetup {}
      class Third: NSObject {}
      """
    #expect(ReaderSetup.types(in: source) == ["First", "Second"])
  }

  @Test("A file that is not there, and one without a set-up, are named")
  func nothingToBuild() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("Empty.swift")
    #expect(throws: ComparisonFailure.self) { try ReaderSetup(file: file, checkout: folder) }
    try Data("import Comparison\n".utf8).write(to: file)
    let reader = try ReaderSetup(file: file, checkout: folder)
    #expect(throws: ComparisonFailure.self) { try reader.candidates() }
  }
}

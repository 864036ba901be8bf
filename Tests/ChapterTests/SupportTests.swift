import ChapterSupport
import Foundation
import StoreFileReader
import TestFiles
import Testing

@Suite("What the chapters share")
struct SupportTests {
  @Test("Pairs meant for the stack are taken out of the arguments, and others stay in order")
  func pairs() {
    let kept = ProcessInfo.withoutCoreDataPairs([
      "list", "-com.apple.CoreData.SQLDebug", "1", "--limit", "3", "-com.apple.CoreData.ConcurrencyDebug",
      "1",
    ])
    #expect(kept == ["list", "--limit", "3"])
  }

  @Test("A pair without its value, at the end, is taken out as well")
  func pairWithoutValue() {
    #expect(ProcessInfo.withoutCoreDataPairs(["list", "-com.apple.CoreData.SQLDebug"]) == ["list"])
  }

  @Test("What follows a double dash is the user's own text")
  func doubleDash() {
    let arguments = ["search", "--", "-com.apple.CoreData.SQLDebug", "1"]
    #expect(ProcessInfo.withoutCoreDataPairs(arguments) == arguments)
  }

  @Test("An error on three levels becomes one sentence that tells each part once")
  func sentence() {
    let inner = NSError(domain: "Inner", code: 1, userInfo: [NSLocalizedDescriptionKey: "The disk is full."])
    let outer = NSError(
      domain: "Outer", code: 2,
      userInfo: [
        NSLocalizedDescriptionKey: "The file could not be saved",
        NSLocalizedFailureReasonErrorKey: "The disk is full.", NSUnderlyingErrorKey: inner,
      ])
    #expect(ChapterFailure(outer).sentence == "The file could not be saved. The disk is full.")
  }

  @Test("What a terminal would act upon is written out, and everything else is as it was")
  func visible() {
    #expect("plain, ü, 책, 🙂".visible() == "plain, ü, 책, 🙂")
    #expect("a\u{1B}[2Jb\u{7F}\u{85}".visible() == #"a\u{1B}[2Jb\u{7F}\u{85}"#)
    #expect("a\r\nb\tc".visible() == "a\\u{D}\nb\tc")
    #expect("a\nb\tc".visible(inOneLine: true) == #"a\nb\tc"#)
  }

  @Test("The reader says which file is missing")
  func missingFile() throws {
    let folder = TemporaryFolder()
    let url = folder.url.appendingPathComponent("none.sqlite")
    let error = #expect(throws: StoreFileError.self) { try StoreFileReader(contentsOf: url) }
    #expect(error?.description.contains(url.path) == true)
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test("The reader says that a text file is no database")
  func textFile() throws {
    let folder = TemporaryFolder()
    let reader = try StoreFileReader(
      contentsOf: try folder.file("text.sqlite", String(repeating: "text ", count: 99)))
    #expect(throws: StoreFileError.self) { try reader.tables() }
  }
}

import DataModelFiles
import Foundation
import StoreFileReader
import TestFiles
import Testing

@testable import Inspection

/// Files of other people's programs.
@Suite("Looking into sample files")
struct CorpusInspectionTests {
  private func files(_ folder: String) -> [URL] {
    if Corpus.root == nil {
      print("CorpusInspectionTests: skipped the samples of \(folder), COREDATA_CORPUS is not set")
    }
    return Corpus.files(in: folder)
  }

  @Test("Every store is described, its rows are those that SQLite counts, and its folder stays as it was")
  func stores() throws {
    var seen = 0
    for url in files("stores") {
      guard let head = FileHandle(forReadingAtPath: url.path), !url.hasDirectoryPath,
        (try? head.read(upToCount: 15)) == Data("SQLite format 3".utf8)
      else { continue }
      let folder = url.deletingLastPathComponent()
      let before = try snapshot(of: folder)
      let file = try open(url)
      let report = try StoreReport(file)
      #expect(file.obstacle == nil, "\(url.lastPathComponent): \(file.obstacle ?? "")")
      for entity in report.json["entities"]?.array ?? [] {
        #expect(entity["rows"] == entity["rowsInFile"], "\(url.lastPathComponent) \(entity["name"] ?? .null)")
        guard case .string(let name)? = entity["name"] else { continue }
        let list = try ObjectList(file, ObjectQuery(entity: name, limit: 50))
        let text = try list.json.text
        #expect((try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil)
        _ = try list.text
      }
      #expect((try? JSONSerialization.jsonObject(with: Data(report.json.text.utf8))) != nil)
      if report.json["history"] != .null { _ = try TransactionList(file, limit: nil).text }
      #expect(try DiagramTests.flaws(Diagram(#require(file.values))) == [], "\(url.lastPathComponent)")
      #expect(try snapshot(of: folder) == before, "\(url.lastPathComponent)")
      seen += 1
    }
    print("CorpusInspectionTests: \(seen) stores")
    #expect(Corpus.root == nil || seen > 0)
  }

  @Test("Every model is described and drawn without a flaw")
  func models() throws {
    var seen = 0
    for url in files("models") + files("compiled") + files("models_at_store_commit") {
      guard ["xcdatamodel", "xcdatamodeld", "mom", "momd"].contains(url.pathExtension) else { continue }
      let versions: ModelVersions
      do { versions = try ModelVersions(at: url) } catch let failure as InspectionFailure {
        // Packages whose versions are not among the samples, and models older than the format.
        let isKnown = ["neither a store nor a model", "before Xcode 4"].contains {
          failure.sentence.contains($0)
        }
        #expect(isKnown, "\(failure)")
        continue
      }
      let report = ModelReport(versions)
      #expect(!report.text.isEmpty)
      #expect((try? JSONSerialization.jsonObject(with: Data(report.json.text.utf8))) != nil)
      for version in versions.versions {
        #expect(
          try DiagramTests.flaws(Diagram(version.model)) == [], "\(url.lastPathComponent) \(version.model.name)")
      }
      seen += 1
    }
    print("CorpusInspectionTests: \(seen) models")
    #expect(Corpus.root == nil || seen > 0)
  }

  @Test("Stores of SwiftData's are named as such, and no other is", arguments: ["swiftdata", "stores"])
  func swiftData(_ folder: String) throws {
    var seen = 0
    for url in files(folder) {
      guard let head = FileHandle(forReadingAtPath: url.path), !url.hasDirectoryPath,
        (try? head.read(upToCount: 15)) == Data("SQLite format 3".utf8)
      else { continue }
      let schema = try StoreReport(open(url)).json["swiftDataSchema"]
      #expect((schema == .string("1.0.0")) == (folder == "swiftdata"), "\(url.path): \(schema ?? .null)")
      seen += 1
    }
    #expect(Corpus.root == nil || seen > 0)
  }
}

import Foundation
import TestFiles
import Testing

@testable import CoreData

/// XML documents that grow, nest or fetch, in stores and in models.
@Suite("Hostile texts")
struct HostileTextTests {
  private let folder = TemporaryFolder()

  private static let documents: [(name: String, text: String)] = {
    let laughs = (1...40).map { "<!ENTITY l\($0) \"&l\($0 - 1);&l\($0 - 1);\">" }.joined()
    let head = "<?xml version=\"1.0\"?>"
    let attributes = (0..<100_000).map { "a\($0)=\"\"" }.joined(separator: " ")
    return ["database", "model"].flatMap { root -> [(name: String, text: String)] in
      [
        (
          "entities",
          "\(head)<!DOCTYPE \(root) [<!ENTITY l0 \"ha\">\(laughs)]><\(root)><entity name=\"&l40;\"/></\(root)>"
        ),
        (
          "external",
          "\(head)<!DOCTYPE \(root) [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><\(root)><entity name=\"&x;\">&x;</entity></\(root)>"
        ),
        ("depth", "\(head)<\(root)>" + String(repeating: "<entity name=\"A\">", count: 100_000)),
        ("attributes", "\(head)<\(root)><entity \(attributes)/></\(root)>"),
        ("unclosed", "\(head)<\(root)><![CDATA["),
      ]
    }
  }()

  @Test("Entities are not expanded, nothing is fetched, depth and attributes are counted", arguments: documents.indices)
  func document(_ index: Int) throws {
    let (_, text) = HostileTextTests.documents[index]
    let builder = ModelBuilder()
    builder.entity("Book", [attribute("title", .stringAttributeType)])
    let store = folder.file("\(index).xml")
    try Data(text.utf8).write(to: store)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: builder.make())
    let storeError = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(ofType: NSXMLStoreType, configurationName: nil, at: store)
    }
    let model = folder.file("\(index).xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: model.appendingPathComponent("contents"))
    let modelError = #expect(throws: NSError.self) { try NSManagedObjectModel(checkedContentsOf: model) }
    for error in [storeError, modelError] {
      let text = error?.localizedDescription ?? ""
      #expect(text.contains(folder.url.path) && !text.contains("root:"), "\(text.prefix(300))")
    }
  }

  @Test("A predicate is refused where it nests deeper than any that is written by hand")
  func predicate() {
    for text in [
      String(repeating: "(", count: 100_000) + "a == 1", String(repeating: "NOT ", count: 100_000) + "a == 1",
    ] {
      #expect(throws: (any Error).self) { try PredicateParser.predicate(text) }
    }
  }
}

import DataModelFiles
import Foundation
import TestFiles
import Testing

@Suite("The form of compiled models", .enabled(if: Corpus.root != nil, "COREDATA_CORPUS is not set"))
struct ArchiveFormTests {
  /// What Apple's file and ours say differently: lines that only one has.
  private func differences(_ apple: [UInt8], _ ours: [UInt8]) throws -> [String] {
    let (apple, ours) = (try ArchiveListing(apple).lines, try ArchiveListing(ours).lines)
    return apple.subtracting(ours).map { "Apple: \($0)" }.sorted()
      + ours.subtracting(apple).map { "ours:  \($0)" }.sorted()
  }

  private func bytes(_ url: URL) throws -> [UInt8] { Array(try Data(contentsOf: url)) }

  @Test("A source compiles to the archive that Apple's compiler made of it, object by object")
  func sources() throws {
    let root = try #require(Corpus.root)
    var pairs: Set<[String]> = []
    for row in try Corpus.rows(of: "hashes.csv") where row["pairing"]?.hasPrefix("versioninfo+mom") == true {
      guard let source = row["source_model"], let compiled = row["compiled_model"], !source.isEmpty,
        !compiled.isEmpty
      else { continue }
      pairs.insert([source, compiled])
    }
    #expect(pairs.count > 5)
    for pair in pairs.sorted(by: { $0[1] < $1[1] }) {
      let source = try SourceModelReader.model(
        at: root.appendingPathComponent(pair[0]).deletingLastPathComponent()
      ).model
      let found = try differences(
        bytes(root.appendingPathComponent(pair[1])), CompiledModelFiles.mom(source))
      for line in found { Issue.record("\(pair[1]): \(line)") }
    }
  }

  /// What compilers of other times wrote otherwise:
  /// the first ones knew no fetch indexes, for which a flag of the attribute stood, and the very first no flags;
  /// one lists only the properties that a sub-entity declares itself; one keeps the empty name of a transformer.
  private static let otherTimes = [
    "NSCompoundIndexes = NSMutableArray < NSArray < NSObject {NS.objects: []}", "NSFetchIndexDescriptions = ",
    "NSFlagsKey = int 0", "RKDummyEntity NSProperties = ", "NSValueTransformerName = -> \"\"",
  ]

  @Test("A compiled model that is read and written again has the same objects")
  func rewritten() throws {
    var files = 0
    for url in Corpus.files(in: "compiled", extension: "mom") {
      let apple = try bytes(url)
      let found = try differences(apple, CompiledModelFiles.mom(CompiledModelFiles.model(at: url).model))
      let isOld = !url.path.contains("XCServerCoreData")
      for line in found
      where !isOld
        || !Self.otherTimes.contains(where: line.contains)
          && !(line.hasPrefix("ours") && line.hasSuffix("NSValueTransformerName = null"))
      { Issue.record("\(url.path): \(line)") }
      files += 1
    }
    #expect(files > 10)
  }

  @Test("The model of a store is read from its archive, with its mappings of known keys")
  func knownKeys() throws {
    // As a running framework archives a model: the dictionary of entities is a list of values with a shared mapping.
    let file = try #require(Corpus.files(in: "compiled", extension: "mom").first)
    let bytes = try bytes(file)
    guard case .dictionary(var archive) = try BinaryPropertyListReader.read(bytes),
      var objects = archive["$objects"]?.array, let root = archive["$top"]?.dictionary?["root"]?.uid,
      var model = objects[root].dictionary, let place = model["NSEntities"]?.uid,
      let entities = objects[place].dictionary, let keys = entities["NS.keys"], let values = entities["NS.objects"]
    else {
      Issue.record("the archive has another form")
      return
    }
    func add(_ object: PropertyList) -> PropertyList {
      objects.append(object)
      return .uid(objects.count - 1)
    }
    let mapping = add(.dictionary(["keys": add(.dictionary(["NS.objects": keys]))]))
    model["NSEntities"] = add(
      .dictionary(["searchMapping": mapping, "values": add(.dictionary(["NS.objects": values]))]))
    objects[root] = .dictionary(model)
    archive["$objects"] = .array(objects)
    let written = BinaryPropertyListWriter.write(.dictionary(archive))
    let read = try CompiledModelFiles.model(mom: written, name: "M", file: "M.mom").model
    #expect(read.entities == (try CompiledModelFiles.model(mom: bytes, name: "M", file: "M.mom").model.entities))
    #expect(!read.entities.isEmpty)
  }
}

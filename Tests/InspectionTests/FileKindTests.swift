import CoreData
import DataModelFiles
import Foundation
import Inspection
import TestFiles
import Testing

@Suite("Telling what a file is")
struct FileKindTests {
  private let folder = TemporaryFolder()

  private func sentence(_ name: String, _ bytes: Data) throws -> String {
    let url = folder.file(name)
    try bytes.write(to: url)
    let found = failure { _ = try open(url) }
    return (found?.sentence ?? "no failure").replacingOccurrences(of: url.path, with: "FILE")
  }

  @Test("What is neither a store nor a model is told in one sentence")
  func strangers() throws {
    #expect(
      try sentence("a", Data("hello".utf8)) == "The file FILE is neither a Core Data store nor a model.")
    #expect(try sentence("b", Data()) == "The file FILE is empty: it is neither a store nor a model.")
    #expect(
      try sentence("c", Data("<?xml version=\"1.0\"?><!-- a --><html></html>".utf8))
        == "The file FILE is neither a store nor a model: it is XML whose first element is <html>.")
    let plist = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
    #expect(
      try sentence("d", plist)
        == "The file FILE is neither a store nor a model: it is a property list of something else.")
    #expect(try sentence("e", plist.dropLast(4)).contains("truncated or damaged"))
    let missing = folder.file("missing")
    #expect(failure { _ = try open(missing) }?.sentence == "There is no file \(missing.path).")
    #expect(
      failure { _ = try FileKind.find(at: folder.url) }?.sentence.contains("neither a store nor a model")
        == true)
  }

  @Test("A pipe is neither a store nor a model, and nobody waits for its writer, not in the place of a log either")
  func pipes() throws {
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    #expect(
      failure { _ = try FileKind.find(at: pipe) }?.sentence
        == "The file \(pipe.path) is neither a store nor a model: it is a pipe, a socket or a device.")
    let store = folder.file("Library.sqlite")
    try Library.make(at: store)
    unlink(store.path + "-wal")
    #expect(mkfifo(store.path + "-wal", 0o600) == 0)
    let report = try StoreReport(open(store))
    #expect(report.json["journal"]?["walCommittedFrames"] == .null)
  }

  @Test("A database that is no store, a truncated store and an encrypted file are told apart")
  func databases() throws {
    let plain = folder.file("plain.db")
    try run("CREATE TABLE A (B)", in: plain)
    #expect(failure { _ = try open(plain) }?.sentence.contains("it has no table Z_METADATA") == true)

    let store = folder.file("Library.sqlite")
    try Library.make(at: store)
    let bytes = try Data(contentsOf: store)
    #expect(
      try sentence("cut", bytes.prefix(20_000)).hasPrefix("The file FILE is truncated: its header claims"))
    #expect(
      try sentence("shorter", bytes.prefix(300)).hasPrefix("The file FILE is truncated: it has 300 bytes"))

    var state: UInt64 = 7
    let noise = Data(
      (0..<8192).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 40)
      })
    #expect(try sentence("cipher", noise).contains("may be encrypted"))
  }

  @Test("A mapping model is known by its folder, by the file in it, and compiled")
  func mappings() throws {
    let folder = folder.file("A.xcmappingmodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let model = Data(CompiledModelFiles.mom(DataModel(Library.model()))).base64EncodedString()
    let xml = folder.appendingPathComponent("xcmapping.xml")
    try Data(
      """
      <?xml version="1.0"?>
      <database>
        <object type="XDDEVMAPPINGMODEL" id="z1">
          <attribute name="sourcemodelpath" type="string">One.xcdatamodel</attribute>
          <attribute name="sourcemodeldata" type="binary">\(model)</attribute>
          <attribute name="destinationmodelpath" type="string">Two.xcdatamodel</attribute>
          <attribute name="destinationmodeldata" type="binary">\(model)</attribute>
          <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z2"></relationship>
        </object>
        <object type="XDDEVENTITYMAPPING" id="z2">
          <attribute name="sourcename" type="string">Author</attribute>
          <attribute name="destinationname" type="string">Author</attribute>
          <attribute name="mappingtypename" type="string">Copy</attribute>
          <attribute name="mappingnumber" type="int16">1</attribute>
        </object>
      </database>
      """.utf8
    ).write(to: xml)
    for url in [folder, xml] {
      let found = try FileKind.find(at: url)
      #expect(found.kind == .mappingModel)
      #expect(found.url.standardizedFileURL.path == folder.standardizedFileURL.path)
    }
    let source = try MappingReport(kind: .mappingModel, url: folder)
    #expect(source.text.contains("1 entity mapping\n"))
    let cdm = self.folder.file("A.cdm")
    try Data(MappingModelFiles.cdm(MappingModelFiles.model(at: folder).model)).write(to: cdm)
    #expect(try FileKind.find(at: cdm).kind == .compiledMappingModel)
    let compiled = try MappingReport(kind: .compiledMappingModel, url: cdm)
    #expect(compiled.text.contains("kind      compiled mapping model (.cdm)\n"))
    #expect(compiled.json["entityMappings"] == source.json["entityMappings"])
    #expect(source.json["entityMappings"]?.array.first?["source"] == .string("Author"))
    try Data("bplist00 cut".utf8).write(to: cdm)
    #expect(failure { _ = try FileKind.find(at: cdm) } != nil)
  }

  @Test("A mapping model's file that is a pipe, or larger than any, is named in one sentence and not read")
  func oddMappings() throws {
    let model = folder.file("A.xcmappingmodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    let xml = model.appendingPathComponent("xcmapping.xml")
    #expect(mkfifo(xml.path, 0o600) == 0)
    #expect(
      failure { _ = try MappingReport(kind: .mappingModel, url: model) }?.sentence
        == "The mapping model \(model.path) cannot be read: \(xml.path): error: this is not a file.")

    let list = folder.file("A.cdm")
    try Data("bplist00".utf8).write(to: list)
    // Nearly all of it is a hole.
    try FileHandle(forWritingTo: list).truncate(atOffset: 1 << 42)
    let large = failure { _ = try MappingReport(kind: .compiledMappingModel, url: list) }
    #expect(large?.sentence.contains("more than the 268435456 that a model may have") == true)
    #expect(try FileKind.find(at: list).kind == .binaryStore)
    #expect(failure { _ = try open(list) }?.sentence.contains(list.path) == true)
  }

  @Test("Of an optimized model the one beside it is shown; alone it is named for what it is")
  func optimized() throws {
    let omo = folder.file("Library.omo")
    try Data("momv2$[]77y23407".utf8).write(to: omo)
    #expect(
      failure { _ = try FileKind.find(at: omo) }?.sentence
        == "The file \(omo.path) is a compiled model in its optimized form (.omo), which cannot be read; Library.mom, "
        + "which is the same model, is not beside it.")
    let mom = folder.file("Library.mom")
    try Data(CompiledModelFiles.mom(DataModel(Library.model()))).write(to: mom)
    let found = try FileKind.find(at: omo)
    #expect(found.kind == .compiledModel && found.url.path == mom.path)
    #expect(try ModelVersions(at: omo).current.model.entities.count == 3)
  }

  @Test(
    "The file of a model of the old editor is that model",
    .enabled(if: ProcessInfo.processInfo.environment["COREDATA_CORPUS"] != nil, "COREDATA_CORPUS is not set"))
  func elements() throws {
    let corpus = try #require(ProcessInfo.processInfo.environment["COREDATA_CORPUS"])
    let file = URL(fileURLWithPath: "\(corpus)/models/RestKit__RestKit/Tests/Models/Data Model.xcdatamodel/elements")
    let found = try FileKind.find(at: file)
    #expect(found.kind == .model)
    #expect(try ModelVersions(kind: found.kind, url: found.url).current.model.entities.count == 18)
  }

  @Test("A store whose name is that of a text is a store")
  func names() throws {
    let url = folder.file("notes.txt")
    try Library.make(at: url)
    #expect(try FileKind.find(at: url).kind == .sqliteStore)
  }
}

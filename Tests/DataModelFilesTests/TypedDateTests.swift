import Foundation
import Testing

@testable import DataModelFiles

@Suite("Dates as they were typed before Xcode 4")
struct TypedDateTests {
  @Test(
    "Spellings of the United States, at noon of Greenwich where no time is given",
    arguments: [
      ("12/08/2009", "2009-12-08 12:00:00"), ("2/3/09", "2009-02-03 12:00:00"), ("1/2/70", "1970-01-02 12:00:00"),
      ("2009-12-08", "2009-12-08 12:00:00"), ("2009-12-08 01:02:03 +0100", "2009-12-08 00:02:03"),
      ("December 8, 2009", "2009-12-08 12:00:00"), ("8 Dec 2009", "2009-12-08 12:00:00"),
      ("Dec 8th, 2009 1:45 PM", "2009-12-08 13:45:00"), ("12/8/2009 12:30 am", "2009-12-08 00:30:00"),
    ])
  func known(_ text: String, _ expected: String) {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
    let date = TypedDate.seconds(text).map { Date(timeIntervalSinceReferenceDate: $0) }
    #expect(date.map(formatter.string(from:)) == expected)
  }

  @Test(
    "What is no date is none",
    arguments: [
      "", "13/08/2009", "2/30/2009", "today", "12/08", "a/b/c", "12/08/2009 25:00", "12/08/2009 1:2:3:4", "--",
    ])
  func unknown(_ text: String) {
    #expect(TypedDate.seconds(text) == nil)
  }

  /// An archive of one entity with one date attribute, whose default value is a text.
  private func archive(defaultValue: String) -> [UInt8] {
    var builder = KeyedArchiveBuilder()
    func field(_ value: PropertyList) -> PropertyList { builder.object(["XDUMLTaggedValueImp"], ["_default": value]) }
    let fields = builder.dictionary([
      ("XD_PAttK_attributeType", field(builder.scalar(.integer(900)))),
      ("XD_PPSK_isOptional", field(builder.scalar(.boolean(true)))),
      ("XD_PAttK_defaultValueAsString", field(builder.string(defaultValue))),
    ])
    let stereotype = builder.object(["XDUMLStereotypeImp"], ["XDBucketForOwnedAttributesstorage": fields])
    let stereotypes = builder.dictionary([("attribute", stereotype)])
    let attribute = builder.object(
      ["XDPMAttribute"], ["_name": builder.string("born"), "XDBucketForStereotypesstorage": stereotypes])
    let properties = builder.dictionary([("born", attribute)])
    let entity = builder.object(
      ["XDPMEntity"], ["_name": builder.string("Person"), "XDBucketForOwnedAttributesstorage": properties])
    let entities = builder.dictionary([("Person", entity)])
    let package = builder.object(["XDModelPackage"], ["XDBucketForClassesstorage": entities])
    let root = builder.object(["XDPMModel"], ["_xd_rootPackage": package])
    return builder.archive(root: root)
  }

  @Test("A typed date is a default value; what is none leaves the attribute without one, with a warning")
  func defaults() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).xcdatamodel")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (text, expected) in [("12/08/2009", DataModel.Value.date(281_966_400)), ("next spring", nil)] {
      try Data(archive(defaultValue: text)).write(to: folder.appendingPathComponent("elements"))
      let (model, warnings) = try SourceModelReader.model(at: folder)
      #expect(model.entities[0].attributes[0].defaultValue == expected)
      #expect(warnings.map(\.severity) == (expected == nil ? [.warning] : []))
      if expected == nil { #expect(warnings[0].description.contains("Person.born: the default value \"next spring\"")) }
    }
  }
}

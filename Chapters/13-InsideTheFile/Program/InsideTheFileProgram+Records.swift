import ChapterSupport
import CoreData
import Foundation
import InsideTheFileChapter
import StoreFileReader

extension InsideTheFileProgram {
  /// What saves do to versions and to the counter of keys.
  @MainActor func showVersions(_ url: URL) throws {
    Output.heading("Z_OPT and Z_MAX: versions and keys")
    let file = MuseumFile(url: url)
    let stack = try FileStack(at: url, model: FileModel.museum.load())
    let museum = Museum(context: stack.context)
    func show(_ what: String) throws {
      let version = try file.reader().rows("SELECT Z_OPT FROM ZEXHIBIT WHERE ZNUMBER = 101")
      let maximum = try file.reader().integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Exhibit'")
      let rows = try file.reader().rows("SELECT Z_PK FROM ZEXHIBIT ORDER BY Z_PK")
      let keys = rows.map(\.[0].description).joined(separator: ", ")
      Output.line("\(what): Z_OPT of 101 is \(version[0][0]), keys \(keys), Z_MAX \(maximum)")
    }
    //> versions
    try show("before")
    let harbour = try museum.exhibit(101)
    harbour.title = "Harbour at Dusk"
    try stack.context.save()
    try show("changed")
    stack.context.delete(try museum.exhibit(104))
    try stack.context.save()
    try show("deleted 104")
    try museum.insertPainting(between: 101, and: 102)
    try show("inserted")
    //< versions
    try stack.close()
  }

  func showMetadata(_ file: MuseumFile) throws {
    Output.heading("Z_METADATA: what the file knows of its model")
    let reader = try file.reader()
    let row = try reader.rows("SELECT Z_VERSION, length(Z_UUID), substr(Z_PLIST, 1, 8) FROM Z_METADATA")[0]
    if case .blob(let start) = row[2] {
      let format = String(decoding: start, as: UTF8.self)
      Output.line("Z_VERSION \(row[0]), Z_UUID of \(row[1]) characters, Z_PLIST begins with \(format)")
    }
    let shape = try StoreShape(of: reader)
    for (key, value) in shape.metadata.sorted(by: { $0.key < $1.key }) { Output.line("\(key): \(value)") }
    for (entity, hash) in shape.versionHashes.sorted(by: { $0.key < $1.key }) {
      Output.line("hash of \(entity): \(hash.prefix(16))…, \(hash.count / 2) bytes")
    }
    Output.line("Z_MODELCACHE: \(Output.count(try reader.rowCount(of: "Z_MODELCACHE"), "row"))")
  }

  @MainActor func showHistory(_ url: URL) throws {
    Output.heading("With history: three tables more")
    let file = MuseumFile(url: url)
    let before = Set(try file.reader().tables())
    //> history
    let stack = try FileStack(at: url, model: FileModel.museum.load(), keepsHistory: true)
    stack.context.transactionAuthor = "curator"
    let museum = Museum(context: stack.context)
    try museum.exhibit(102).title = "Orchard in Rain"
    stack.context.delete(try museum.exhibit(103))
    try stack.context.save()
    try stack.close()
    //< history
    Output.line("new: \(Set(try file.reader().tables()).subtracting(before).sorted().joined(separator: ", "))")
    try file.show("ATRANSACTIONSTRING")
    try file.show(
      "ATRANSACTION", columns: ["Z_PK", "Z_ENT", "ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"])
    try file.show(
      "ACHANGE",
      columns: ["Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"],
      orderedBy: "ZCHANGETYPE, ZENTITY, ZENTITYPK")
    try showBits(file)
    try file.show("Z_PRIMARYKEY")
  }

  /// The bits of ZCOLUMNS, the most significant one of the first byte first, stand for an entity's stored
  /// properties in the order of their names.
  private func showBits(_ file: MuseumFile) throws {
    let model = try FileModel.museum.load()
    //> bits
    let rows = try file.reader().rows(
      """
      SELECT Z_NAME, ZCOLUMNS FROM ACHANGE JOIN Z_PRIMARYKEY p ON p.Z_ENT = ZENTITY
      WHERE ZCHANGETYPE = 1 ORDER BY Z_NAME
      """)
    for row in rows {
      guard let entity = model.entitiesByName[row[0].description], case .blob(let bytes) = row[1]
      else { continue }
      let names = entity.properties.filter { !$0.isTransient }.map(\.name).sorted()
      let changed = names.indices.filter { bytes[$0 / 8] & 0x80 >> UInt8($0 % 8) != 0 }
      let list = changed.map { names[$0] }.joined(separator: ", ")
      Output.line("\(row[0]) x'\(bytes.hex)', of \(names.count) properties: \(list)")
    }
    //< bits
  }
}

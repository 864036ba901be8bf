import ChapterSupport
import CoreData
import Foundation
import InsideTheFileChapter
import StoreFileReader

extension InsideTheFileProgram {
  func showTables(_ file: MuseumFile) throws {
    Output.heading("The tables of the file")
    let reader = try file.reader()
    for table in try reader.tables() {
      Output.line("\(table): \(Output.count(try reader.rowCount(of: table), "row"))")
    }
    Output.heading("Z_PRIMARYKEY: the entities and their numbers")
    try file.show("Z_PRIMARYKEY")
  }

  func showEntityTable(_ file: MuseumFile) throws {
    Output.heading("ZEXHIBIT: a hierarchy, one table")
    try file.showOnItsSide("ZEXHIBIT")
    Output.heading("What the values mean")
    try showMeaning(file)
  }

  /// Reads the first row's values as a program would that has only the file.
  private func showMeaning(_ file: MuseumFile) throws {
    //> meaning
    let row = try file.reader().rows(
      """
      SELECT ZACQUIRED, typeof(ZACQUIRED), ZINSUREDVALUE, typeof(ZINSUREDVALUE), ZTAG, ZPICTURE
      FROM ZEXHIBIT ORDER BY Z_PK
      """)
    for values in row {
      guard let seconds = values[0].integer else { continue }
      let date = Date(timeIntervalSinceReferenceDate: Double(seconds))
      Output.line("\(seconds) (\(values[1])) is \(ISO8601DateFormatter().string(from: date))")
      Output.line("  \(values[2]) is kept as \(values[3])")
    }
    //< meaning
    for values in row {
      guard case .blob(let tag) = values[4], case .blob(let picture) = values[5] else { continue }
      let uuid = tag.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      Output.line("\(uuid) has a picture: \(words(forPicture: picture, of: file))")
    }
  }

  /// Follows the first byte of a value that may lie in a file of its own.
  //> picture
  private func words(forPicture bytes: Data, of file: MuseumFile) -> String {
    guard bytes.first == 2 else { return "\(bytes.count - 1) bytes in the row" }
    let name = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    let folder = ".\(file.url.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA"
    let place = file.url.deletingLastPathComponent().appendingPathComponent(folder)
    let content = FileManager.default.contents(atPath: place.appendingPathComponent(name).path)
    return "\(content?.count ?? 0) bytes in a file of \(folder)"
  }
  //< picture

  func showRelationships(_ file: MuseumFile) throws {
    Output.heading("To-one: a key in the row")
    try file.show("ZROOM")
    try file.show("ZEXHIBIT", columns: ["Z_PK", "ZTITLE", "ZROOM", "Z_FOK_ROOM", "ZHIGHLIGHTOF"])
    Output.heading("A row, byte by byte")
    for part in try RowBytes(of: "ZROOM", key: 2, inFileAt: file.url).parts {
      let hex = part.bytes.map { String(format: "%02x", $0) }.joined(separator: " ")
      Output.line("\(hex.padding(toLength: 14, withPad: " ", startingAt: 0))  \(part.meaning)")
    }
    Output.heading("Many-to-many: a table of pairs")
    try file.show("ZARTIST")
    try file.show("Z_1WORKS", orderedBy: "1, 2")

    Output.heading("A painting between two others")
    let stack = try FileStack(at: file.url, model: FileModel.museum.load())
    try Museum(context: stack.context).insertPainting(between: 101, and: 102)
    try stack.close()
    try file.show(
      "ZEXHIBIT", columns: ["Z_PK", "ZTITLE", "ZROOM", "Z_FOK_ROOM"], orderedBy: "ZROOM, Z_FOK_ROOM")
  }

  func showIndexes(_ file: MuseumFile) throws {
    Output.heading("Indexes")
    for index in try StoreShape(of: file.reader()).indexes {
      Output.line("\(index.name): \(index.kind.lowercased()) on \(index.parts.joined(separator: ", "))")
    }
  }
}

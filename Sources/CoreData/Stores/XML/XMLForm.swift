/// The XML form of a store's file. `XMLStoreDocument` shows it.
enum XMLForm: AtomicForm {
  static var type: String { NSXMLStoreType }

  /// The first object of a store has the number 102.
  static var keyBeforeFirst: Int64 { 101 }

  /// Refuses names that differ only in case, because the file does not keep the case.
  static func check(_ layouts: [EntityLayout], url: URL) throws {
    func refuse(_ one: String, _ other: String) -> Failure {
      .unsuitableModel(
        url: url, type: type, what: "\(one) and \(other) differ only in case, which the file does not keep")
    }
    var entities: [String: String] = [:]
    for layout in layouts {
      if let other = entities.updateValue(layout.name, forKey: layout.name.uppercased()) {
        throw refuse(other, layout.name)
      }
      var properties: [String: String] = [:]
      for property in layout.properties where property.isStoredByItself {
        if let other = properties.updateValue(property.name, forKey: property.name.lowercased()) {
          throw refuse("\(layout.name).\(other)", "\(layout.name).\(property.name)")
        }
      }
    }
  }

  static func header(of bytes: [UInt8]) throws -> AtomicHeader { try XMLStoreDocument(bytes: bytes).info().header }

  static func readRows(of bytes: [UInt8], into loader: inout AtomicLoader) throws {
    var sink = XMLRowSink(AtomicLoader(loader.layouts, loader.held))
    try XMLStoreDocument(bytes: bytes).readObjects(into: &sink)
    loader = sink.finished()
  }

  static func write(_ rows: AtomicRows, _ header: AtomicHeader) throws -> [UInt8] {
    var writer = XMLStoreWriter(rows.state.layouts)
    try writer.begin(header)
    writer.append(rows)
    return writer.finish()
  }

  static func replaceHeader(of bytes: [UInt8], by header: AtomicHeader) throws -> [UInt8] {
    let range = try XMLStoreDocument(bytes: bytes).info().range
    var new = Array(bytes[..<range.lowerBound])
    try XMLStoreWriter.append(header, to: &new)
    new += bytes[range.upperBound...]
    return new
  }
}

/// A store in a file of Apple's XML form.
final class XMLStore: AtomicFileStore {
  override class var form: any AtomicForm.Type { XMLForm.self }
}

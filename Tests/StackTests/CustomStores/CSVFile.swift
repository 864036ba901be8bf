import CoreData
import Foundation

/// The file of a `CSVStore`: metadata, and a table for each entity.
struct CSVFile {
  struct Row {
    var reference: Int
    var cells: [String?]
  }

  struct Table {
    var entity: String
    var columns: [String]
    var rows: [Row] = []
  }

  /// Empty for a store that is yet to be made.
  var metadata: [String: Any] = [:]
  var tables: [Table] = []

  init() {}

  init(_ url: URL) throws {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    for line in try CSVFile.lines(String(contentsOf: url, encoding: .utf8)) {
      switch line[0] ?? "" {
      case "Store":
        metadata[NSStoreTypeKey] = line[1]
        metadata[NSStoreUUIDKey] = line[2]
      case "Hash":
        var hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        hashes[line[1]!] = Data(base64Encoded: line[2]!)
        metadata[NSStoreModelVersionHashesKey] = hashes
      case "Note": metadata[line[1]!] = line[2]
      case "Entity": tables.append(Table(entity: line[1]!, columns: line.dropFirst(2).map { $0! }))
      case let reference:
        guard let number = Int(reference), !tables.isEmpty else { throw CSVError("\"\(reference)\" begins no line.") }
        tables[tables.count - 1].rows.append(Row(reference: number, cells: Array(line.dropFirst())))
      }
    }
  }

  func write(to url: URL) throws {
    var lines: [[String?]] = [
      ["Store", metadata[NSStoreTypeKey] as? String, metadata[NSStoreUUIDKey] as? String]
    ]
    for (entity, hash) in (metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).sorted(by: {
      $0.key < $1.key
    }) {
      lines.append(["Hash", entity, hash.base64EncodedString()])
    }
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) where !key.hasPrefix("NSStore") {
      lines.append(["Note", key, "\(value)"])
    }
    for table in tables {
      lines.append(["Entity", table.entity] + table.columns)
      for row in table.rows { lines.append(["\(row.reference)"] + row.cells) }
    }
    let text = lines.map { $0.map(CSVFile.quoted).joined(separator: ",") + "\n" }.joined()
    // The whole file or none of it.
    try Data(text.utf8).write(to: url, options: .atomic)
  }

  private static func quoted(_ cell: String?) -> String {
    guard let cell else { return "" }
    guard cell.isEmpty || cell.contains(where: { ",\"\n\r".contains($0) || $0.isNewline }) else { return cell }
    return "\"" + cell.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }

  /// Cells line by line; those in quotes may have commas, quotes and line breaks in them.
  private static func lines(_ text: String) throws -> [[String?]] {
    var lines: [[String?]] = []
    var line: [String?] = []
    var cell = ""
    var (wasQuoted, isQuoted) = (false, false)
    var rest = text.unicodeScalars[...]
    func value() -> String? { cell.isEmpty && !wasQuoted ? nil : cell }
    while let scalar = rest.popFirst() {
      if isQuoted {
        if scalar != "\"" {
          cell.unicodeScalars.append(scalar)
        } else if rest.first == "\"" {
          cell.unicodeScalars.append(rest.removeFirst())
        } else {
          isQuoted = false
        }
        continue
      }
      switch scalar {
      case "\"": (wasQuoted, isQuoted) = (true, true)
      case ",", "\n":
        line.append(value())
        (cell, wasQuoted) = ("", false)
        if scalar == "\n" {
          lines.append(line)
          line = []
        }
      default: cell.unicodeScalars.append(scalar)
      }
    }
    if isQuoted || !line.isEmpty || !cell.isEmpty { throw CSVError("The last line has no end.") }
    return lines
  }
}

/// Values as texts, and back.
enum CSVCell {
  static func text(of value: Any) -> String {
    switch value {
    case let date as Date: return "\(date.timeIntervalSinceReferenceDate)"
    case let data as Data: return data.base64EncodedString()
    case let url as URL: return url.absoluteString
    case let uuid as UUID: return uuid.uuidString
    case let decimal as NSDecimalNumber: return decimal.stringValue
    case let number as NSNumber: return number.stringValue
    case let text as String: return text
    default:
      return (try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false))?
        .base64EncodedString() ?? ""
    }
  }

  static func value(of cell: String, _ type: NSAttributeType) -> Any? {
    switch type {
    case .stringAttributeType: return cell
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType:
      return Int64(cell).map { NSNumber(value: $0) }
    case .doubleAttributeType, .floatAttributeType: return Double(cell).map { NSNumber(value: $0) }
    case .decimalAttributeType: return NSDecimalNumber(string: cell)
    case .dateAttributeType: return Double(cell).map { Date(timeIntervalSinceReferenceDate: $0) }
    case .binaryDataAttributeType: return Data(base64Encoded: cell)
    case .UUIDAttributeType: return UUID(uuidString: cell)
    case .URIAttributeType: return URL(string: cell)
    default:
      guard let data = Data(base64Encoded: cell) else { return nil }
      let archive = try? NSKeyedUnarchiver(forReadingFrom: data)
      archive?.requiresSecureCoding = false
      return archive?.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
    }
  }
}

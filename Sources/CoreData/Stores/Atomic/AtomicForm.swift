/// The form of a store's file: XML, or Apple's binary form. A form only converts bytes and keeps no state.
protocol AtomicForm {
  static var type: String { get }

  /// The last key of a store that has not yet given out any.
  static var keyBeforeFirst: Int64 { get }

  /// Throws if the form cannot hold objects of these entities.
  static func check(_ layouts: [EntityLayout], url: URL) throws

  /// The header of a file, without its rows.
  static func header(of bytes: [UInt8]) throws -> AtomicHeader

  static func readRows(of bytes: [UInt8], into loader: inout AtomicLoader) throws

  static func write(_ rows: AtomicRows, _ header: AtomicHeader) throws -> [UInt8]

  /// The content of a file with another header. The rows are copied without being read.
  static func replaceHeader(of bytes: [UInt8], by header: AtomicHeader) throws -> [UInt8]
}

/// The content of a file besides the rows.
struct AtomicHeader {
  /// The metadata, including type and UUID.
  var metadata: [String: Any]
  /// The last key that was given. All entities share one sequence.
  var lastKey: Int64

  var uuid: String { metadata[NSStoreUUIDKey] as? String ?? "" }
}

/// A problem with a file, found where the file's URL is not known.
enum AtomicProblem: Error {
  /// The file does not have this form.
  case foreign(String)
  case damaged(line: Int?, String)
  case metadata(String)

  func failure(_ url: URL, _ type: String) -> Failure {
    switch self {
    case .foreign(let what): .foreignStoreFile(url: url, type: type, what: what)
    case .damaged(let line, let what): .damagedStore(url: url, line: line, what: what)
    case .metadata(let what): .unsuitableMetadata(url: url, what: what)
    }
  }
}

extension WholeFile.Problem {
  func failure(_ url: URL, isWriting: Bool) -> Failure {
    switch self {
    case .call(let name, let errno): .fileCall(url: url, name: "\(name)", isWriting: isWriting, errno: errno)
    case .missing: isWriting ? .storeDirectoryMissing(url: url) : .storeFileMissing(url: url)
    case .notAFile: .notAFile(url: url)
    case .changed: .fileChangedElsewhere(url: url)
    case .unconfirmed(_, let errno): .fileCall(url: url, name: "fsync", isWriting: true, errno: errno)
    }
  }
}

/// The form in which a store's file holds everything: XML, or Apple's binary one. Pure: bytes in, bytes out.
protocol AtomicForm {
  static var type: String { get }

  /// The last key of a store that has given out none.
  static var keyBeforeFirst: Int64 { get }

  /// Throws if the form cannot hold objects of these entities.
  static func check(_ layouts: [EntityLayout], url: URL) throws

  /// What a file says of itself, without its rows.
  static func header(of bytes: [UInt8]) throws -> AtomicHeader

  static func readRows(of bytes: [UInt8], into loader: inout AtomicLoader) throws

  static func write(_ rows: AtomicRows, _ header: AtomicHeader) throws -> [UInt8]

  /// The same file with other metadata; its rows are not looked at.
  static func replaceHeader(of bytes: [UInt8], by header: AtomicHeader) throws -> [UInt8]
}

/// What stands in a file beside the rows.
struct AtomicHeader {
  /// With type and UUID.
  var metadata: [String: Any]
  /// The last key that was given out: all entities share one sequence.
  var lastKey: Int64

  var uuid: String { metadata[NSStoreUUIDKey] as? String ?? "" }
}

/// What is wrong with a file, where its URL is not known.
enum AtomicProblem: Error {
  /// Not of the form.
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

import Foundation

/// What is wrong with a value that lies in a file of its own, or with the folder of such files: the facts.
struct ExternalFileProblem {
  enum Reason {
    case missing
    /// The column holds something other than a file's name.
    case invalidName(String)
    /// What stands at the value's place is a link, a folder or a device.
    case notAFile
    /// A link, or something that is not a folder, stands where the folder should be.
    case linkedFolder
    /// More bytes than a value may have.
    case tooLong(Int)
    /// A system call that failed.
    case call(String, isWriting: Bool, errno: Int32)
  }

  var reason: Reason
  /// The path of the value's file, or of the folder.
  var file: URL
  var store: URL
  /// The object whose value it is; nil if there are many, or it is unknown.
  var entity: String?
  var property: String?

  private var value: String {
    guard let property else { return "A long value of the store \(store.path)" }
    return "\(entity.map { "\($0)." } ?? "")\(property) of the store \(store.path)"
  }

  var description: String {
    let next = "Put the file back, or set the property again."
    switch reason {
    case .missing:
      return "\(value) is kept in the file \(file.path), which does not exist. \(next)"
    case .invalidName(let name):
      return
        "\(value) can't be read: its row names the file \(Failure.words(for: name)). The store gives no value's file "
        + "such a name, so it was not opened. Set the property again, or restore the store from a copy."
    case .notAFile:
      return "\(value) is kept in \(file.path), which is not a regular file and was not opened. \(next)"
    case .linkedFolder:
      return
        "Long values of the store \(store.path) can't be read or written: \(file.path) is a link, or not a folder. "
        + "Put the real folder in its place."
    case .tooLong(let length):
      return "\(value) can't be read: the file \(file.path) has \(length) bytes, and a value can have at most "
        + "\(Int32.max). \(next)"
    case .call(let name, let isWriting, let errno):
      return "\(value) could not be \(isWriting ? "written" : "read"): \(name) of \(file.path) failed, "
        + "\(String(cString: strerror(errno)))."
    }
  }

  var code: Int {
    switch reason {
    case .missing: CocoaError.Code.fileReadNoSuchFile.rawValue
    case .invalidName: CocoaError.Code.fileReadInvalidFileName.rawValue
    case .notAFile, .linkedFolder: CocoaError.Code.fileReadUnknown.rawValue
    case .tooLong: CocoaError.Code.fileReadTooLarge.rawValue
    case .call(_, let isWriting, let errno): Failure.fileCode(errno, isWriting: isWriting).rawValue
    }
  }

  var isMissing: Bool {
    if case .missing = reason { return true }
    return false
  }
}

import Foundation

/// A failure in words for the person in front of the terminal: one sentence that names what it is about.
public struct ChapterFailure: Error, LocalizedError, CustomStringConvertible {
  public let sentence: String
  /// Lines to be shown below the sentence: a text that somebody typed, with a mark under the place.
  public let picture: String?
  /// The code of the Cocoa error that it was made of, which `inspect --error` explains; nil for others.
  public let code: Int?

  public init(_ sentence: String, picture: String? = nil, code: Int? = nil) {
    self.sentence = sentence
    self.picture = picture
    self.code = code
  }

  /// Puts any error into one sentence: what happened, why, and what lay under it.
  ///
  /// An `NSError` often says it three times over on three levels; each part is told once.
  public init(_ error: any Error) {
    if let failure = error as? ChapterFailure {
      self = failure
      return
    }
    self.init(Self.parts(of: error).joined(separator: " "), code: Self.cocoaCode(error as NSError))
  }

  public var description: String { sentence }
  public var errorDescription: String? { sentence }

  /// The uppermost one: a program's own error may lie over it.
  private static func cocoaCode(_ error: NSError) -> Int? {
    if error.domain == NSCocoaErrorDomain { return error.code }
    return (error.userInfo[NSUnderlyingErrorKey] as? NSError).flatMap(cocoaCode)
  }

  private static func parts(of error: any Error) -> [String] {
    if type(of: error) is NSError.Type {
      return parts(of: error as NSError)
    }
    if let described = (error as? any LocalizedError)?.errorDescription {
      return [sentence(described)]
    }
    if type(of: error) is any CustomStringConvertible.Type {
      return [sentence(String(describing: error))]
    }
    return parts(of: error as NSError)
  }

  private static func parts(of error: NSError) -> [String] {
    var parts: [String] = []
    func add(_ text: String?) {
      guard let text, !text.isEmpty, !parts.contains(where: { $0.contains(text) }) else { return }
      parts.append(sentence(text))
    }
    add(error.localizedDescription)
    add(error.localizedFailureReason)
    if let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError {
      for part in Self.parts(of: underlying) { add(part) }
    }
    return parts
  }

  private static func sentence(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.last.map { ".!?)".contains($0) } == true ? line : line + "."
  }
}

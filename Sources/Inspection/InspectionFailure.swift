import Foundation

/// The error for a file that could not be inspected: one sentence that names it, and perhaps a picture of the place.
public struct InspectionFailure: Error, LocalizedError, CustomStringConvertible, Equatable {
  public let sentence: String
  /// Lines to show below the sentence.
  public let picture: String?
  /// The code of Core Data's error, if that was the cause; see `ErrorCode`.
  public let code: Int?
  /// Whether it is not the file that is at fault, but what was asked of it.
  public let isOfQuestion: Bool

  public init(_ sentence: String, picture: String? = nil, code: Int? = nil, isOfQuestion: Bool = false) {
    self.sentence = sentence
    self.picture = picture
    self.code = code
    self.isOfQuestion = isOfQuestion
  }

  /// Adds the message and the code of Core Data's error.
  init(_ sentence: String, because error: any Error) {
    let cocoa = type(of: error) is NSError.Type ? error as NSError : nil
    self.init(
      "\(sentence): \(reason(error))",
      code: cocoa.flatMap { $0.domain == NSCocoaErrorDomain ? $0.code : nil } ?? (error as? InspectionFailure)?.code)
  }

  public var description: String { sentence }
  public var errorDescription: String? { sentence }
}

/// Returns an error's message, without wrapping the sentence of an `InspectionFailure` again.
func reason(_ error: any Error) -> String {
  if let failure = error as? InspectionFailure { return failure.sentence }
  if type(of: error) is NSError.Type { return (error as NSError).localizedDescription }
  return (error as? any LocalizedError)?.errorDescription ?? "\(error)"
}

import Foundation

/// Why a file could not be looked into: one sentence that names it, and perhaps a picture of the place.
public struct InspectionFailure: Error, LocalizedError, CustomStringConvertible, Equatable {
  public let sentence: String
  /// Lines to show below the sentence.
  public let picture: String?
  /// The code that Core Data's error had, if one lay under it: see `ErrorCode`.
  public let code: Int?

  public init(_ sentence: String, picture: String? = nil, code: Int? = nil) {
    self.sentence = sentence
    self.picture = picture
    self.code = code
  }

  /// With what Core Data said behind it, and its code.
  init(_ sentence: String, because error: any Error) {
    let cocoa = type(of: error) is NSError.Type ? error as NSError : nil
    self.init(
      "\(sentence): \(reason(error))",
      code: cocoa.flatMap { $0.domain == NSCocoaErrorDomain ? $0.code : nil } ?? (error as? InspectionFailure)?.code)
  }

  public var description: String { sentence }
  public var errorDescription: String? { sentence }
}

/// What an error says, without a second sentence for what the first has said already.
func reason(_ error: any Error) -> String {
  if let failure = error as? InspectionFailure { return failure.sentence }
  if type(of: error) is NSError.Type { return (error as NSError).localizedDescription }
  return (error as? any LocalizedError)?.errorDescription ?? "\(error)"
}

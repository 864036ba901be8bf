import Foundation

/// Why a file could not be looked into: one sentence that names it, and perhaps a picture of the place.
public struct InspectionFailure: Error, LocalizedError, CustomStringConvertible, Equatable {
  public let sentence: String
  /// Lines to be shown below the sentence.
  public let picture: String?

  public init(_ sentence: String, picture: String? = nil) {
    self.sentence = sentence
    self.picture = picture
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

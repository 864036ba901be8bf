import Foundation

/// A compiled model is not among the program's resources.
public struct ModelMissing: LocalizedError {
  public let errorDescription: String?

  init(name: String = "SingleViewCoreData") {
    errorDescription = "The model \(name).momd is missing from the program's resources."
  }
}

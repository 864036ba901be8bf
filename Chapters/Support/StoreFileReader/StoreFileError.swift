import Foundation

/// Why a store's file could not be read.
public struct StoreFileError: Error, LocalizedError, CustomStringConvertible {
  public let url: URL
  public let reason: String

  public var description: String { "The file \(url.path) cannot be read: \(reason)." }
  public var errorDescription: String? { description }
}

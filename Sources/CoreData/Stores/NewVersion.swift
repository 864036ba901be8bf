import Foundation

/// The new version of a store, which is made at a place of its own and then takes the store's place.
///
/// Its owner calls `remove()` at the end, whatever happened.
package protocol NewVersion: AnyObject {
  /// Where it is made.
  var url: URL { get }

  /// Whether to open the old version for writing, because opening it read-only would copy it.
  var readsOldAsOwn: Bool { get }

  /// Whether the new one is.
  var readsNewAsOwn: Bool { get }

  /// Makes a copy of the store there, of its old version.
  func copyStore() throws

  /// What is wrong with the new version; nil for nothing.
  func damage() throws -> String?

  /// Throws if others have written to the store since this object was made.
  func check() throws

  /// Puts it in place of the store. On failure the store is unchanged.
  func putInPlace() throws

  /// Removes what is left at its place.
  func remove()
}

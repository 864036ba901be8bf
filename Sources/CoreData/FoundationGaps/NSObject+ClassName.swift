import Foundation

extension NSObject {
  // The parameter sets this method apart from any `className()` of a program's own: a class may declare that one, and
  // a protocol may ask for it.
  /// The name of the class with its module, as an entity's `managedObjectClassName` has it: `Book.className()`.
  @_disfavoredOverload
  public static func className(_ nothing: Void = ()) -> String { NSStringFromClass(self) }
}

/// The name of a property's primitive accessor: `primitiveTitle` of `title`.
enum PrimitiveName {
  /// The property whose primitive accessor has a name; nil for another name, such as `primitives`.
  static func property(of name: String) -> String? {
    guard name.hasPrefix("primitive"), let first = name.dropFirst(9).first, first.isUppercase else { return nil }
    return first.lowercased() + name.dropFirst(10)
  }
}

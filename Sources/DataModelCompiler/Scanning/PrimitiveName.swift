import DataModelFiles

/// The name of a property's primitive accessor: `primitiveTitle` of `title`.
enum PrimitiveName {
  private static let prefix = "primitive"

  /// The properties whose primitive accessor may have a name, the likeliest first; none for another name, such as
  /// `primitives`.
  static func properties(of name: String) -> [String] {
    let capitalized = String(name.dropFirst(prefix.count))
    guard name.hasPrefix(prefix), let first = capitalized.first, first.isLetter || first == "_",
      AccessorName.capitalized(capitalized) == capitalized
    else { return [] }
    return AccessorName.properties(capitalized)
  }
}

/// The form that a property's name has within the names of its accessors: `Books` of `books`, as in `addToBooks`,
/// `validateBooks` and `primitiveBooks`. The model compiler writes such names, and it and the stack read them back.
package enum AccessorName {
  /// The name with a capital for its first letter. The rest stays, and so does a beginning that has no capital of its
  /// own: an underscore, or a letter such as `ß`, whose capital is two letters and leads back to another name.
  package static func capitalized(_ name: String) -> String {
    guard let first = name.first else { return name }
    let capital = first.uppercased()
    guard capital.count == 1, capital.lowercased() == String(first) else { return name }
    return capital + name.dropFirst()
  }

  /// The names of the properties that may be meant by one with a capital, the likeliest first: `books`, then `Books`. A
  /// property's name may begin with a capital itself, as `URL` does.
  package static func properties(_ capitalized: some StringProtocol) -> [String] {
    let name = String(capitalized)
    let small = name.prefix(1).lowercased() + name.dropFirst()
    return small != name && self.capitalized(small) == name ? [small, name] : [name]
  }
}

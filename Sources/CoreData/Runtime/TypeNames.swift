/// Types by their names: that the program has them is not known when the module is compiled.
enum TypeNames {
  /// The letter that stands behind the name of such a type in its mangled name.
  enum Kind: String {
    case `class` = "C"
    case enumeration = "O"
  }

  /// A type that is neither nested nor generic; nil if there is none of that name.
  static func type(_ name: some StringProtocol, _ kind: Kind, in module: some StringProtocol) -> Any.Type? {
    _typeByName("\(module.utf8.count)\(module)\(name.utf8.count)\(name)\(kind.rawValue)")
  }
}

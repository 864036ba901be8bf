/// Finds types of the program by their names, which are not known when the module is compiled.
enum TypeNames {
  /// The letter that follows the name of such a type in a mangled name.
  enum Kind: String {
    case `class` = "C"
    case enumeration = "O"
  }

  /// The type of this name, which must be neither nested nor generic; nil if there is none.
  static func type(_ name: some StringProtocol, _ kind: Kind, in module: some StringProtocol) -> Any.Type? {
    _typeByName("\(module.utf8.count)\(module)\(name.utf8.count)\(name)\(kind.rawValue)")
  }
}

/// Names of a model that generated Swift repeats. They must be names and nothing else: what is hidden in one must
/// become neither code, nor the path of a file.
package enum GeneratedName {
  /// What is wrong with a name, which has letters, digits and underscores; nil if nothing is.
  ///
  /// - Parameter subject: whose name it is, as the sentence begins.
  static func fault(of name: String, _ subject: String) -> String? {
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic else {
      return "\(subject) must begin with a letter"
    }
    guard let odd = name.unicodeScalars.first(where: { !isPart($0) }) else { return nil }
    return "\(subject) cannot hold \"\(odd)\""
  }

  /// Whether it is one word of Swift, such as the name of a module.
  package static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first == "_" || first.properties.isAlphabetic else { return false }
    return name.unicodeScalars.allSatisfy(isPart) && name.contains { $0 != "_" }
  }

  /// Whether a class may have the name: `Book`, `.Book`, `Shop.Book`.
  static func isClass(_ name: String) -> Bool {
    (name.first == "." ? name.dropFirst() : name[...]).split(separator: ".", omittingEmptySubsequences: false)
      .allSatisfy { isIdentifier(String($0)) }
  }

  /// Whether it has only what types are written with: `Photo`, `[String: Photo]`, `NSObject & NSCoding`.
  static func isType(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { isPart($0) || " .,:?&<>[]()".unicodeScalars.contains($0) }
  }

  /// Whether a name may have the character. Scalars are asked, since a letter of some scripts takes the next character,
  /// be it a brace, into one `Character` with it.
  private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
    case ..<0x80: false
    // Words of some scripts have these two joiners.
    case 0x200C, 0x200D: true
    default: scalar.properties.isXIDContinue || scalar.properties.numericType != nil
    }
  }
}

extension PredicateSyntaxError {
  /// The failure with the format string, and with its position counted in characters.
  func failure(in format: String) -> Failure {
    let index = format.utf8.index(format.startIndex, offsetBy: min(offset, format.utf8.count))
    let characters = format[..<index].count
    return .malformedPredicate(format: format, offset: characters, what: what)
  }
}

extension Failure {
  static let deepPredicate = Failure.unsupportedFeature(
    "A predicate that nests deeper than \(PredicateNode.maximalDepth) levels")
}

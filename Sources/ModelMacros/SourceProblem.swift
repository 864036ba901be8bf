/// The reason why a macro can't expand a declaration, and the place of it.
package struct SourceProblem: Error, Hashable, Sendable {
  /// A sentence for the person who wrote the declaration.
  package let message: String
  /// The offset in the declaration's source, in bytes of UTF-8.
  package let offset: Int

  package init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }
}

/// Why a declaration cannot become what a macro makes of it, and where that stands.
package struct SourceProblem: Error, Hashable, Sendable {
  /// A sentence for the person who wrote the declaration.
  package let message: String
  /// How many bytes of UTF-8 stand before it in the declaration's source.
  package let offset: Int

  package init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }
}

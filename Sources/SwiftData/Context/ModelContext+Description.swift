extension ModelContext: CustomDebugStringConvertible {
  /// The author and the container's configurations, for logs: `ModelContext of "import", on default`
  public var debugDescription: String {
    let names = openContainer.configurations.map(\.name).sorted().joined(separator: ", ")
    return "ModelContext" + (author.map { " of \"\($0)\"" } ?? "") + (names.isEmpty ? "" : ", on \(names)")
  }
}

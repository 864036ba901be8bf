import BookText

/// The marks below a section's heading. They show which parts of the stack the section is about, each with its shape,
/// colour and name.
enum PartMarks {
  /// - Parameter isCover: whether to make them as large as on the book's first page.
  static func html(_ parts: [SectionParts.Part], isCover: Bool = false) -> String {
    let marks = parts.map { part in
      "<li class=\"part-\(part.rawValue.lowercased())\"><svg viewBox=\"0 0 18 16\" aria-hidden=\"true\" focusable=\"false\">"
        + "\(shape(part))</svg>\(part.rawValue)</li>"
    }
    let label = isCover ? "Parts of the stack, as all pictures show them" : "Parts of the stack in this section"
    return "<ul class=\"parts\(isCover ? " cover" : "")\" aria-label=\"\(label)\">\(marks.joined())</ul>\n"
  }

  /// The same shapes as in drawings: an object is round, a context has a double edge, a coordinator points to both
  /// sides, a store is a sheet, SQL is rows, and a model is a plan of boxes.
  private static func shape(_ part: SectionParts.Part) -> String {
    switch part {
    case .objects: "<rect x=\"1.5\" y=\"3.5\" width=\"15\" height=\"9\" rx=\"4.5\"/>"
    case .context: "<path d=\"M1.5 2.5H16.5V13.5H1.5ZM4.5 2.5V13.5\"/>"
    case .coordinator: "<path d=\"M4.5 3.5H13.5L17 8L13.5 12.5H4.5L1 8Z\"/>"
    case .store: "<path d=\"M3.5 1.5H11L14.5 5V14.5H3.5ZM11 1.5V5H14.5\"/>"
    case .model: "<path d=\"M1.5 2.5H7.5V7.5H1.5ZM10.5 8.5H16.5V13.5H10.5ZM4.5 7.5V11H10.5\"/>"
    case .sql: "<path d=\"M1.5 2.5H16.5V13.5H1.5ZM1.5 6.2H16.5M1.5 9.8H16.5M7 2.5V13.5\"/>"
    }
  }
}

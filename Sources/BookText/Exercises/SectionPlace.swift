/// The position of a section in reading order: chapters by number, then the side pages.
package struct SectionPlace: Comparable, Sendable {
  private let rank: Int
  private let folder: String
  private let line: Int

  /// - Parameter text: the page of the section's folder; nil if there is none.
  /// - Returns: nil if there is no such section.
  package init?(_ section: Guide.ChapterLink, in text: MarkdownText?) {
    guard let line = text?.headings.first(where: { $0.anchor == section.anchor })?.line else { return nil }
    (rank, folder, self.line) = (Page.Place(folder: section.folder).rank, section.folder, line)
  }

  package static func < (left: SectionPlace, right: SectionPlace) -> Bool {
    (left.rank, left.folder, left.line) < (right.rank, right.folder, right.line)
  }

  /// The indices of places that come before their predecessor, each with the predecessor's index. Nil places are
  /// skipped.
  package static func stepsBack(_ places: [SectionPlace?]) -> [(index: Int, before: Int)] {
    let known = places.indices.compactMap { index in places[index].map { (index: index, place: $0) } }
    return zip(known, known.dropFirst()).compactMap { before, step in
      step.place < before.place ? (step.index, before.index) : nil
    }
  }
}

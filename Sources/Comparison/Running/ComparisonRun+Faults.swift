import Foundation

extension ComparisonRun {
  /// The outcomes by set-up, then by fault.
  func faultOutcomes() throws -> [String: [String: FaultOutcome]] {
    var outcomes: [String: [String: FaultOutcome]] = [:]
    for fault in InjectedFault.all(for: candidates.map(\.info)) {
      progress("fault: \(fault.fault.title)")
      for candidate in candidates {
        outcomes[candidate.info.id, default: [:]][fault.rawValue] = try outcome(of: fault, in: candidate)
      }
    }
    return outcomes
  }

  private func outcome(of fault: InjectedFault, in candidate: Candidate) throws -> FaultOutcome {
    if let reason = fault.reasonAgainst(candidate.info) {
      return FaultOutcome(surface: .notApplicable, file: FaultOutcome.FileState(integrity: ""), note: reason)
    }
    let (folder, place) = try place(for: candidate, with: fixture(for: fault))
    defer { try? FileManager.default.removeItem(at: folder) }
    let before = place.state(rowsBefore: nil).rowsAfter
    let answer = folder.appendingPathComponent("answer.json")
    let request = ComparisonChild.Request(
      task: .fault(fault), setup: candidate.info.id, folder: folder.path, answer: answer.path, plant: options.plant)
    let listener = fault == .serverStops ? servers?.listen(in: folder) : nil
    let child = try ChildProcess(
      try stage(for: candidate, hasModel: fault != .modelMissing).executable, arguments: try request.arguments(),
      scratch: folder)
    listener?.end()
    var file = place.state(rowsBefore: before)
    if fault == .conflict, let pages = place.pages(ofBook: 1) {
      file.detail = Self.writer(of: pages)
    }
    let told = (try? Data(contentsOf: answer)).flatMap { try? JSONDecoder().decode(FaultRun.Sighting.self, from: $0) }
    guard var told else { return ended(child, file) }
    if child.end != .exit(0) {
      let words = child.lastWords.map { " " + shortened($0, nil) } ?? ""
      told.note = (told.note.map { $0 + " " } ?? "") + "The first fetch ends the process: \(child.end.cause).\(words)"
    }
    let message = told.surface == .log ? child.firstWords : told.message
    return FaultOutcome(
      surface: told.surface, place: told.place, error: told.error, message: message.map { shortened($0, folder) },
      canWriteAfterwards: told.canWriteAfterwards, file: file, note: told.note)
  }

  private func ended(_ child: ChildProcess, _ file: FaultOutcome.FileState) -> FaultOutcome {
    return FaultOutcome(
      surface: .ended, place: child.end.cause, message: child.lastWords.map { shortened($0, nil) }, file: file)
  }

  private func fixture(for fault: InjectedFault) -> StoreFixtures.Fixture {
    switch fault {
    case .unreadable: .text
    case .olderModel: .olderModel(FaultRun.booksBefore)
    case .otherModel: .otherModel(FaultRun.booksBefore)
    default: .books(FaultRun.booksBefore)
    }
  }

  private static func writer(of pages: Int) -> String {
    switch pages {
    case 1111: "the user's value"
    case 2222: "the writer's value"
    default: "neither value, but \(pages)"
    }
  }

  /// A message without the path of the comparison's folder and without the place in a source file.
  private func shortened(_ text: String, _ folder: URL?) -> String {
    var text = text
    if let folder { text = text.replacingOccurrences(of: folder.path + "/", with: "") }
    if let range = text.range(of: "Fatal error: ") { text = String(text[range.lowerBound...]) }
    return text
  }
}

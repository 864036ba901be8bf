/// The faults that each set-up is exposed to. Each runs in a process of its own, with its own file.
enum InjectedFault: String, Codable, Sendable, CaseIterable {
  case unreadable
  case modelMissing = "model-missing"
  case olderModel = "older-model"
  case otherModel = "other-model"
  case conflict, constraint, thrown, trap, killed, full
  case serverStops = "server-stops"

  var fault: Fault { Fault(id: rawValue, title: title, explanation: explanation) }

  private var title: String {
    switch self {
    case .unreadable: "the file is not a store"
    case .modelMissing: "the model is missing"
    case .olderModel: "the file is of an older model"
    case .otherModel: "the file is of another model"
    case .conflict: "two writers change one object"
    case .constraint: "a batch breaks a constraint"
    case .thrown: "a block throws"
    case .trap: "a block traps"
    case .killed: "killed in the middle of a save"
    case .full: "the disk is full"
    case .serverStops: "the server stops"
    }
  }

  private var explanation: String {
    switch self {
    case .unreadable: "A text file lies in the store's place."
    case .modelMissing: "The program runs where its compiled model is not among its resources."
    case .olderModel:
      "The store was made with a model that lacks one attribute with a default; a mapping can be inferred."
    case .otherModel:
      "The store was made with a model in which an attribute has another type; no mapping can be inferred."
    case .conflict:
      "The user changes a property of a book; before the user saves, a write changes the same property of the same book."
    case .constraint:
      "A write makes ten books, the last with the ISBN of a book that is there. Then one good book is written."
    case .thrown: "A block makes ten books and throws. Then one good book is written."
    case .trap: "A block makes ten books and divides by zero."
    case .killed:
      "A write saves 60,000 books; SIGKILL comes when half a megabyte of them is in the log and the commit is not."
    case .full:
      """
      The process may not let files grow (RLIMIT_FSIZE, so SQLite gets EFBIG where a full disk gives ENOSPC) while a write \
      saves 10,000 books. Then it may, and one good book is written.
      """
    case .serverStops:
      "The server stops as by kill -9, and a write makes ten books. Then it is started, and one good book is written."
    }
  }

  /// Why it means nothing to a set-up; nil if it does mean something.
  func reasonAgainst(_ info: SetupInfo) -> String? {
    switch self {
    case .unreadable, .full: info.isOnServer == true ? "A file's fault: does not apply." : nil
    case .serverStops: info.isOnServer == true ? nil : "A server's fault: does not apply."
    default: nil
    }
  }

  /// Those that mean something to one of the set-ups.
  static func all(for infos: [SetupInfo]) -> [InjectedFault] {
    allCases.filter { fault in infos.isEmpty || infos.contains { fault.reasonAgainst($0) == nil } }
  }

  /// Whether the fault occurs while the store is opened.
  var isMetAtOpening: Bool {
    switch self {
    case .unreadable, .modelMissing, .olderModel, .otherModel: true
    default: false
    }
  }
}

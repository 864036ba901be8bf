/// Matches names of one version with names of another by their renaming identifiers: those of a model's entities, or of
/// an entity's attributes or relationships.
///
/// The rules are tried in this order. Each source is used once, unless one rule gives it to several destinations that
/// may share it, of which none has its name:
/// 1. both have the same identifier: the chain of renamings goes on; of several, those of the same name first;
/// 2. the destination's identifier is the source's name: it was renamed;
/// 3. the source's identifier is the destination's name, and nothing has the source's own name any more: a renaming was
///    taken back;
/// 4. the names are equal.
struct RenamingMatch {
  struct Item {
    let name: String
    /// nil if it is empty or equal to the name.
    let identifier: String?
    /// Whether a destination may have the same source as another one: each gets the values.
    let mayShare: Bool

    init(name: String, identifier: String?, mayShare: Bool = false) {
      self.name = name
      self.identifier = identifier == name || identifier == "" ? nil : identifier
      self.mayShare = mayShare
    }
  }

  /// Several items that could match one.
  struct Tie: Error {
    let identifier: String
    /// The names in order. One of the two lists has more than one.
    let sources: [String]
    let destinations: [String]
  }

  /// For each destination the place of its source among the sources.
  private(set) var sources: [Int?]

  private let from: [Item]
  private let to: [Item]
  private var isUsed: [Bool]

  /// - Throws: `Tie`.
  init(from: [Item], to: [Item]) throws {
    self.from = from
    self.to = to
    sources = Array(repeating: nil, count: to.count)
    isUsed = Array(repeating: false, count: from.count)
    let fromByName = Dictionary(from.indices.map { (from[$0].name, $0) }) { first, _ in first }
    let toByIdentifier = RenamingMatch.byIdentifier(to)
    let fromByIdentifier = RenamingMatch.byIdentifier(from)
    if !toByIdentifier.isEmpty {
      let identifiers = toByIdentifier.keys.sorted()
      for identifier in identifiers {
        try matchKept(identifier, from: fromByIdentifier[identifier] ?? [], to: toByIdentifier[identifier] ?? [])
      }
      for identifier in identifiers {
        guard let source = fromByName[identifier], !isUsed[source] else { continue }
        try match(identifier, from: [source], to: toByIdentifier[identifier] ?? [])
      }
    }
    try takeBack(fromByIdentifier)
    for destination in to.indices where sources[destination] == nil {
      guard let source = fromByName[to[destination].name], !isUsed[source] else { continue }
      matchSource(source, for: destination)
    }
  }

  private mutating func takeBack(_ fromByIdentifier: [String: [Int]]) throws {
    if fromByIdentifier.isEmpty { return }
    let toByName = Dictionary(to.indices.map { (to[$0].name, $0) }) { first, _ in first }
    let identifiers = fromByIdentifier.keys.sorted()
    // A match may allow another one: A was renamed to B, and B to C.
    var count: Int
    repeat {
      count = isUsed.count(where: { $0 })
      // What a match allows waits for the next round, so that the order of the identifiers decides nothing.
      let gone = from.indices.filter { source in toByName[from[source].name].map { sources[$0] != nil } ?? true }
      for identifier in identifiers {
        guard let destination = toByName[identifier], to[destination].identifier == nil else { continue }
        let candidates = (fromByIdentifier[identifier] ?? []).filter(gone.contains)
        try match(identifier, from: candidates, to: [destination])
      }
    } while isUsed.count(where: { $0 }) > count
  }

  private mutating func matchSource(_ source: Int, for destination: Int) {
    sources[destination] = source
    isUsed[source] = true
  }

  private mutating func matchKept(_ identifier: String, from: [Int], to: [Int]) throws {
    guard !from.isEmpty else { return }
    for destination in to {
      if let source = from.first(where: { self.from[$0].name == self.to[destination].name }) {
        matchSource(source, for: destination)
      }
    }
    try match(identifier, from: from, to: to)
  }

  /// Matches the remaining items, if there is one on each side, or one source for all that may share it.
  private mutating func match(_ identifier: String, from: [Int], to: [Int]) throws {
    let from = from.filter { !isUsed[$0] }
    let to = to.filter { sources[$0] == nil }
    guard let source = from.first, !to.isEmpty else { return }
    guard from.count == 1, to.count == 1 || to.allSatisfy({ self.to[$0].mayShare }) else {
      throw Tie(
        identifier: identifier, sources: from.map { self.from[$0].name }.sorted(),
        destinations: to.map { self.to[$0].name }.sorted())
    }
    for destination in to { matchSource(source, for: destination) }
  }

  private static func byIdentifier(_ items: [Item]) -> [String: [Int]] {
    var places: [String: [Int]] = [:]
    for (place, item) in items.enumerated() {
      if let identifier = item.identifier { places[identifier, default: []].append(place) }
    }
    return places
  }
}

extension RenamingMatch.Tie {
  /// In a sentence without a full stop.
  var reason: String {
    func list(_ names: [String]) -> String { names.joined(separator: " and ") }
    if sources.count == 1 {
      return "\(list(destinations)) share the renaming identifier \(identifier), but only one of them can be what "
        + "\(sources[0]) was"
    }
    return "\(list(sources)) share the renaming identifier \(identifier), but only one of them can have become "
      + list(destinations)
  }
}

import DataModelFiles

/// A model as boxes and lines, before they have places.
///
/// A box has a head, and a row for each attribute and relationship. The line of a relationship ends at its
/// own row, and at its inverse's, so that no line needs a label.
struct DiagramGraph {
  struct Box {
    let name: String
    let isAbstract: Bool
    let rows: [Row]
    /// How many of the rows are attributes: these stand first.
    let attributeCount: Int
  }

  struct Row {
    let name: String
    let type: String
    /// Set in italics: what is not stored as it is.
    var isSlanted = false
  }

  /// Where a line ends at a box.
  struct End: Hashable {
    let box: Int
    /// nil for the head.
    let row: Int?
  }

  enum Mark {
    case none, one, many, heir
  }

  struct Line {
    let first: End
    let second: End
    /// How many objects of its box belong to one of the other.
    let firstMark: Mark
    let secondMark: Mark
    /// The parent's box, for a line that shows inheritance; it is the first end's.
    let parent: Int?

    var isLoop: Bool { first.box == second.box }
  }

  let boxes: [Box]
  let lines: [Line]

  init(_ model: DataModel) {
    let entities = model.entities.sorted { $0.name < $1.name }
    boxes = entities.map(Box.init)
    let places = Dictionary(
      entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    var lines: [Line] = []
    var drawn: Set<End> = []
    for (index, entity) in entities.enumerated() {
      if let parent = entity.parentName.flatMap({ places[$0] }), parent != index {
        lines.append(
          Line(
            first: End(box: parent, row: nil), second: End(box: index, row: nil), firstMark: .heir,
            secondMark: .none, parent: parent))
      }
      for relationship in Box.inOrder(entity.relationships) {
        let end = End(box: index, row: boxes[index].row(of: relationship.name))
        guard let destination = places[relationship.destinationName], drawn.insert(end).inserted else {
          continue
        }
        let mark = relationship.isToMany ? Mark.many : .one
        // The inverse may be an ancestor's.
        let owner = model.lineage(of: entities[destination]).first { candidate in
          candidate.relationships.contains { $0.name == relationship.inverseName }
        }
        guard let owner, let box = places[owner.name],
          let inverse = owner.relationships.first(where: { $0.name == relationship.inverseName })
        else {
          lines.append(
            Line(
              first: end, second: End(box: destination, row: nil), firstMark: .none, secondMark: mark,
              parent: nil))
          continue
        }
        let other = End(box: box, row: boxes[box].row(of: inverse.name))
        if other == end {
          // Its own inverse: the line comes back to the head.
          lines.append(
            Line(first: end, second: End(box: box, row: nil), firstMark: mark, secondMark: .none, parent: nil)
          )
          continue
        }
        drawn.insert(other)
        lines.append(
          Line(
            first: end, second: other, firstMark: inverse.isToMany ? .many : .one, secondMark: mark,
            parent: nil))
      }
    }
    self.lines = lines
  }

  /// Boxes that hang together, each group and the groups in order; boxes by themselves last, one by one.
  var groups: [[Int]] {
    var leader = Array(boxes.indices)
    func find(_ box: Int) -> Int { leader[box] == box ? box : find(leader[box]) }
    for line in lines { leader[find(line.first.box)] = find(line.second.box) }
    let groups = Dictionary(grouping: boxes.indices, by: find).values.map { $0.sorted() }
    return groups.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
  }
}

extension DiagramGraph.Box {
  fileprivate init(_ entity: DataModel.Entity) {
    name = entity.name
    isAbstract = entity.isAbstract
    attributeCount = entity.attributes.count
    rows =
      entity.attributes.sorted { $0.name < $1.name }.map { attribute in
        .init(
          name: attribute.name, type: attribute.typeName + (attribute.isOptional ? "?" : ""),
          isSlanted: attribute.isTransient || attribute.isDerived)
      }
      + Self.inOrder(entity.relationships).map { relationship in
        let many = relationship.isOrdered ? " * ordered" : " *"
        return .init(
          name: relationship.name,
          type: relationship.destinationName
            + (relationship.isToMany ? many : relationship.isOptional ? "?" : ""),
          isSlanted: relationship.isTransient)
      }
  }

  fileprivate static func inOrder(_ relationships: [DataModel.Relationship]) -> [DataModel.Relationship] {
    relationships.sorted { $0.name < $1.name }
  }

  fileprivate func row(of relationship: String) -> Int? {
    rows[attributeCount...].firstIndex { $0.name == relationship }
  }
}

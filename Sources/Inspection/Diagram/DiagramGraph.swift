import DataModelFiles

/// A model as boxes and lines, before they have positions.
///
/// A box has a head and a row for each attribute and relationship. A relationship's line joins its own row with the row
/// of its inverse, so no line needs a label.
struct DiagramGraph {
  struct Box {
    let name: String
    let isAbstract: Bool
    let rows: [Row]
    /// The number of attributes, which are the first rows.
    let attributeCount: Int
  }

  struct Row {
    let name: String
    let type: String
    /// Whether the row is in italics, because its value isn't stored as it is.
    var isSlanted = false
  }

  /// The end of a line at a box.
  struct End: Hashable {
    let box: Int
    /// The row; nil for the head.
    let row: Int?
  }

  enum Mark {
    case none, one, many, heir
  }

  struct Line {
    let first: End
    let second: End
    /// How many objects of this end's box belong to one object of the other.
    let firstMark: Mark
    let secondMark: Mark
    /// The parent's box if the line shows inheritance, otherwise nil. It is the box of the first end.
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
        // The inverse may belong to an ancestor.
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
          // The relationship is its own inverse, so the line leads back to the head.
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

  /// The groups of connected boxes, larger groups first. Boxes without lines are groups of one.
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

import DataModelFiles
import Foundation
import Testing

@testable import Inspection

@Suite("Diagrams of models")
struct DiagramTests {
  /// A model of `count` entities, with hierarchies and relationships; the same for the same seed.
  static func model(_ count: Int, seed: UInt64) -> DataModel {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var model = DataModel(name: "Random")
    for number in 0..<count {
      var entity = DataModel.Entity(name: "Entity\(number)")
      if number > 0, random(3) == 0 { entity.parentName = "Entity\(random(number))" }
      entity.isAbstract = random(6) == 0
      entity.attributes = (0..<random(9)).map { .init(name: "attribute\($0)", type: .string) }
      model.entities.append(entity)
    }
    for number in 0..<(count * 5 / 4) {
      let (from, to) = (random(count), random(count))
      var forth = DataModel.Relationship(name: "forth\(number)", destinationName: "Entity\(to)")
      forth.maxCount = random(2)
      if random(5) > 0 {
        var back = DataModel.Relationship(name: "back\(number)", destinationName: "Entity\(from)")
        back.maxCount = random(2)
        (forth.inverseName, back.inverseName) = (back.name, forth.name)
        model.entities[to].relationships.append(back)
      }
      model.entities[from].relationships.append(forth)
    }
    return model
  }

  /// What is wrong with a diagram's geometry.
  static func flaws(_ diagram: Diagram) -> [String] {
    var flaws: [String] = []
    var boxes: [(name: String, x: ClosedRange<Int>, y: ClosedRange<Int>)] = []
    for part in diagram.parts {
      for box in part.layout.boxes {
        let (x, y) = (part.x + box.x, part.y + box.y)
        let placed = (diagram.graph.boxes[box.box].name, x...(x + box.width), y...(y + box.height))
        for other in boxes where other.x.overlaps(placed.1) && other.y.overlaps(placed.2) {
          flaws.append("\(other.name) and \(placed.0) overlap")
        }
        boxes.append(placed)
      }
    }
    for box in boxes where box.x.upperBound > diagram.width || box.y.upperBound > diagram.height {
      flaws.append("\(box.name) is not on the page")
    }
    for part in diagram.parts {
      var pieces: [(line: Int, parent: Int?, isLevel: Bool, at: Int, range: ClosedRange<Int>)] = []
      for path in part.layout.paths {
        let line = diagram.graph.lines[path.line]
        for (from, to) in zip(path.points, path.points.dropFirst()) {
          if from.x != to.x, from.y != to.y { flaws.append("a line of \(path.line) is aslant") }
          let x = min(from.x, to.x)...max(from.x, to.x)
          let y = min(from.y, to.y)...max(from.y, to.y)
          for box in boxes {
            let inside = (box.x.lowerBound + 1)...(box.x.upperBound - 1)
            let (px, py) = (
              (x.lowerBound + part.x)...(x.upperBound + part.x),
              (y.lowerBound + part.y)...(y.upperBound + part.y)
            )
            if px.overlaps(inside), py.overlaps(box.y) {
              flaws.append("line \(path.line) runs through \(box.name)")
            }
          }
          let isLevel = from.y == to.y
          let piece = (path.line, line.parent, isLevel, isLevel ? from.y : from.x, isLevel ? x : y)
          for other in pieces
          where other.line != path.line && other.isLevel == isLevel && other.at == piece.3
            && (other.parent == nil || other.parent != line.parent)
            && min(other.range.upperBound, piece.4.upperBound)
              > max(other.range.lowerBound, piece.4.lowerBound)
          {
            flaws.append("lines \(other.line) and \(path.line) lie on each other")
          }
          pieces.append(piece)
        }
      }
    }
    return flaws
  }

  @Test(
    "No line runs through a box or along another, no box lies on another",
    arguments: [3, 5, 8, 13, 23, 40, 60])
  func geometry(count: Int) throws {
    for seed in 0..<3 {
      let diagram = try Diagram(Self.model(count, seed: UInt64(seed)))
      #expect(Self.flaws(diagram) == [], "\(count) entities, seed \(seed)")
    }
  }

  @Test("The same model gives the same picture, in whatever order the file has it")
  func deterministic() throws {
    let model = Self.model(20, seed: 3)
    var turned = model
    turned.entities.reverse()
    let picture = try Diagram(model).svg
    #expect(try Diagram(model).svg == picture)
    #expect(try Diagram(turned).svg == picture)
  }

  @Test("Names are escaped, and the picture is well-formed XML with every name in it")
  func names() throws {
    var model = DataModel(name: "M")
    var entity = DataModel.Entity(name: "A<b>&\"c'")
    entity.attributes = [.init(name: "x<y", type: .string)]
    model.entities = [entity, DataModel.Entity(name: "Plain")]
    let svg = try Diagram(model).svg
    #expect(svg.contains("A&lt;b&gt;&amp;&quot;c&#39;") && svg.contains("x&lt;y") && svg.contains(">Plain<"))
    let reader = XMLCheck()
    #expect(reader.isWellFormed(svg))
    #expect(try Diagram(DataModel(name: "Empty")).svg.hasSuffix("</svg>\n"))
  }

  @Test("A name of a million letters is cut, and a model with thousands of lines is refused by name")
  func excess() throws {
    var model = DataModel(name: "Huge")
    var entity = DataModel.Entity(name: String(repeating: "A", count: 1_000_000))
    entity.attributes = [.init(name: String(repeating: "b", count: 1_000_000), type: .string)]
    model.entities = [entity]
    #expect(try Diagram(model).svg.contains("AA…</text>"))

    entity.relationships = (0..<2000).map { DataModel.Relationship(name: "r\($0)", destinationName: "Gone") }
    model.entities = [entity]
    #expect(
      failure { _ = try Diagram(model) }?.sentence
        == "Can't draw a diagram of the model Huge: it has about 2,000 lines, and a picture has room for 500.")
  }

  @Test("A relationship without inverse, a symmetric one and one to itself are drawn")
  func oddLines() throws {
    var model = DataModel(name: "M")
    var person = DataModel.Entity(name: "Person")
    var friends = DataModel.Relationship(name: "friends", destinationName: "Person")
    (friends.inverseName, friends.maxCount) = ("friends", 0)
    var boss = DataModel.Relationship(name: "boss", destinationName: "Person")
    boss.inverseName = "staff"
    var staff = DataModel.Relationship(name: "staff", destinationName: "Person")
    (staff.inverseName, staff.maxCount) = ("boss", 0)
    let city = DataModel.Relationship(name: "city", destinationName: "City")
    let nowhere = DataModel.Relationship(name: "nowhere", destinationName: "Gone")
    person.relationships = [friends, boss, staff, city, nowhere]
    model.entities = [person, DataModel.Entity(name: "City")]
    let diagram = try Diagram(model)
    #expect(diagram.graph.lines.count == 3)
    #expect(diagram.parts.flatMap(\.layout.paths).count == 3)
    #expect(Self.flaws(diagram) == [])
  }
}

/// Whether a text is XML as far as elements and entities go.
private struct XMLCheck {
  func isWellFormed(_ text: String) -> Bool {
    var open: [String] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      guard let end = rest[start...].firstIndex(of: ">") else { return false }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      let name = String(tag.drop { $0 == "/" }.prefix { !$0.isWhitespace && $0 != "/" })
      if tag.hasPrefix("/") {
        if open.popLast() != name { return false }
      } else if !tag.hasSuffix("/") {
        open.append(name)
      }
    }
    return open.isEmpty
  }
}

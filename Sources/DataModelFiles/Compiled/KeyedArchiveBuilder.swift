/// Builds a keyed archive object by object. You can reserve an object's place before you know its content, as cycles
/// require.
struct KeyedArchiveBuilder {
  static let null = PropertyList.uid(0)

  private var objects: [PropertyList] = [.string("$null")]
  private var scalars: [PropertyList: Int] = [:]
  private var classes: [[String]: Int] = [:]

  /// Reserves the place of an object; `fill` sets its content.
  mutating func reserve() -> PropertyList {
    objects.append(.string("$null"))
    return .uid(objects.count - 1)
  }

  /// - Parameter classes: the object's class, then its superclasses.
  mutating func fill(_ place: PropertyList, _ classes: [String], _ fields: [String: PropertyList]) {
    guard case .uid(let index) = place else { preconditionFailure("not a place in the archive") }
    var fields = fields
    fields["$class"] = .uid(classIndex(classes))
    objects[index] = .dictionary(fields)
  }

  mutating func object(_ classes: [String], _ fields: [String: PropertyList]) -> PropertyList {
    let place = reserve()
    fill(place, classes, fields)
    return place
  }

  /// The place of a string, number, Boolean or data. Equal values share a place.
  mutating func scalar(_ value: PropertyList) -> PropertyList {
    if let index = scalars[value] { return .uid(index) }
    objects.append(value)
    scalars[value] = objects.count - 1
    return .uid(objects.count - 1)
  }

  mutating func string(_ text: String?) -> PropertyList {
    text.map { scalar(.string($0)) } ?? Self.null
  }

  mutating func array(_ elements: [PropertyList]) -> PropertyList {
    object(["NSArray", "NSObject"], ["NS.objects": .array(elements)])
  }

  mutating func mutableArray(_ elements: [PropertyList]) -> PropertyList {
    object(["NSMutableArray", "NSArray", "NSObject"], ["NS.objects": .array(elements)])
  }

  mutating func set(_ elements: [PropertyList]) -> PropertyList {
    object(["NSSet", "NSObject"], ["NS.objects": .array(elements)])
  }

  /// - Parameter isMutable: whether it is archived as an NSMutableDictionary, as in compiled models.
  mutating func dictionary(
    _ entries: [(key: String, value: PropertyList)], isMutable: Bool = true
  ) -> PropertyList {
    let keys = entries.map { string($0.key) }
    return object(
      (isMutable ? ["NSMutableDictionary"] : []) + ["NSDictionary", "NSObject"],
      ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.value))])
  }

  private mutating func classIndex(_ names: [String]) -> Int {
    if let index = classes[names] { return index }
    objects.append(
      .dictionary([
        "$classname": .string(names[0]), "$classes": .array(names.map { .string($0) }),
      ]))
    classes[names] = objects.count - 1
    return objects.count - 1
  }

  func archive(root: PropertyList) -> [UInt8] {
    BinaryPropertyListWriter.write(
      .dictionary([
        "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
        "$top": .dictionary(["root": root]), "$objects": .array(objects),
      ]))
  }
}

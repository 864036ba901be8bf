/// Composite attributes: each element has its own slot, and the attribute is the dictionary of its elements.
extension LayoutProperty {
  var compositeAttribute: NSCompositeAttributeDescription {
    unsafeDowncast(description, to: NSCompositeAttributeDescription.self)
  }

  /// The elements that have slots, including those of nested composites. For any other property, the property itself.
  var leaves: [LayoutProperty] { kind == .composite ? elements.flatMap(\.leaves) : [self] }

  /// The composite attributes around an element, the outermost one first. None for any other property.
  var groups: [LayoutProperty] {
    guard var group = composite else { return [] }
    var groups = [group]
    while let inner = group.elements.first(where: { $0.kind == .composite && name.hasPrefix("\($0.name).") }) {
      groups.append(inner)
      group = inner
    }
    return groups
  }

  /// Whether the composite is an enumeration of SwiftData: one of its elements has the value of the case, and the
  /// others have none.
  var isEnumeration: Bool { description.userInfo?["EnumType"] != nil }

  /// The default value: an element's own, or the one in its composite's default dictionary.
  var defaultValue: Any? {
    if let own = attribute.defaultValue { return own }
    return composite.flatMap { element(of: $0.attribute.defaultValue) }
  }

  /// An element's value in the dictionary of its outermost composite.
  func element(of dictionary: Any?) -> Any? {
    guard let composite else { return nil }
    let keys = name.dropFirst(composite.name.count + 1).split(separator: ".").map(String.init)
    return keys.reduce(dictionary) { value, key in value.flatMap(LayoutProperty.dictionary)?[key] }
  }

  /// The dictionary of the elements that have a value; nil if none has.
  func composed(_ value: (LayoutProperty) throws -> Any?) rethrows -> [String: Any]? {
    var values: [String: Any] = [:]
    for element in elements {
      let found = element.kind == .composite ? try element.composed(value) : try value(element)
      if let found { values[element.ownName] = found }
    }
    return values.isEmpty ? nil : values
  }

  /// A dictionary's value for each slot; nil if the object is not a dictionary, or has a key that no element has.
  func elementValues(of value: Any) -> [(LayoutProperty, Any?)]? {
    guard let values = LayoutProperty.dictionary(value) else { return nil }
    guard values.keys.allSatisfy({ key in elements.contains { $0.ownName == key } }) else { return nil }
    var result: [(LayoutProperty, Any?)] = []
    for element in elements {
      let value = values[element.ownName].flatMap { $0 is NSNull ? nil : $0 }
      guard element.kind == .composite else {
        result.append((element, value))
        continue
      }
      guard let value else {
        result += element.leaves.map { ($0, nil) }
        continue
      }
      guard let inner = element.elementValues(of: value) else { return nil }
      result += inner
    }
    return result
  }

  private static func dictionary(_ value: Any) -> [String: Any]? {
    if let dictionary = value as? [String: Any] { return dictionary }
    guard let object = value as? NSDictionary else { return nil }
    var dictionary: [String: Any] = [:]
    for (key, value) in object {
      guard let key = key as? String else { return nil }
      dictionary[key] = value
    }
    return dictionary
  }
}

extension EntityLayout {
  /// The key path split into keys, where a path into a composite attribute is one key: `home.address.city` is `home`
  /// and `address.city`.
  func joiningElements(_ path: [String]) -> [String] {
    if !model.hasComposites { return path }
    var layout = self
    var joined: [String] = []
    var rest = path[...]
    while let key = rest.popFirst() {
      guard var property = layout.property(named: key) else {
        joined.append(key)
        // An operator is between keys of the same objects.
        if key.hasPrefix("@") { continue }
        return joined + rest
      }
      while property.kind == .composite, let next = rest.first,
        let element = property.elements.first(where: { $0.ownName == next })
      {
        property = element
        rest.removeFirst()
      }
      joined.append(property.name)
      guard property.isRelationship, property.destination >= 0 else { return joined + rest }
      layout = model.layouts[property.destination]
    }
    return joined
  }

  /// The entity that a key path leads to; nil if it leads to none.
  func destination(of path: [String]) -> EntityLayout? {
    var layout = self
    for key in path where !key.hasPrefix("@") {
      guard let property = layout.property(named: key), property.isRelationship, property.destination >= 0
      else {
        return nil
      }
      layout = model.layouts[property.destination]
    }
    return layout
  }
}

extension NSEntityDescription {
  /// The key paths of all elements of composite attributes.
  var elementPaths: [String] {
    func paths(_ attribute: NSAttributeDescription, _ path: String) -> [String] {
      guard let composite = attribute as? NSCompositeAttributeDescription else { return [path] }
      return [path] + composite.elements.flatMap { paths($0, "\(path).\($0.name)") }
    }
    return properties.compactMap { $0 as? NSCompositeAttributeDescription }.flatMap { paths($0, $0.name) }
  }
}

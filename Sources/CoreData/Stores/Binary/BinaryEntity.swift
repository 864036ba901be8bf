/// An entity in the form of binary stores, in which an object's attribute values are an array without names.
///
/// The array has a place for each property: first those of the root entity, then those that each subentity adds. For
/// each entity its attributes come by name, then its relationships by name. The places of relationships are null; their
/// destinations are stored separately, by name.
final class BinaryEntity {
  let layout: EntityLayout
  let name: [UInt8]
  /// The properties in their places; nil for a place without a stored attribute.
  let places: [LayoutProperty?]
  /// The same as `places`, but without places for transient properties.
  let placesOfStored: [LayoutProperty?]
  let relationships: [(property: LayoutProperty, name: [UInt8])]

  init(_ layout: EntityLayout) {
    self.layout = layout
    name = Array(layout.name.utf8)
    var chain = [layout.index]
    while let parent = chain.last.map({ layout.model.layouts[$0].superIndex }), parent >= 0 { chain.append(parent) }
    let ordered = chain.reversed().flatMap { index in
      // A layout has its attributes by name, then its relationships by name.
      layout.properties.filter { $0.declaringEntity == index && $0.kind != .fetched && $0.composite == nil }
        .flatMap(BinaryEntity.leavesByName)
    }
    func place(_ property: LayoutProperty) -> LayoutProperty? {
      property.isRelationship || property.isTransient ? nil : property
    }
    places = ordered.map(place)
    placesOfStored = ordered.filter { !$0.isTransient }.map(place)
    relationships = layout.relationships.filter { !$0.isTransient }.map { ($0, Array($0.name.utf8)) }
  }

  /// The attribute itself, or the elements of a composite attribute, sorted by name at each level.
  private static func leavesByName(_ property: LayoutProperty) -> [LayoutProperty] {
    guard property.kind == .composite else { return [property] }
    return property.elements.sorted(on: \.ownName).flatMap(leavesByName)
  }

  /// The places for an array of this many values; nil if the entity can't have such an array.
  func places(count: Int) -> [LayoutProperty?]? {
    count == places.count ? places : count == placesOfStored.count ? placesOfStored : nil
  }
}

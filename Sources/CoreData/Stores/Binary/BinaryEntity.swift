/// An entity as binary stores have it: its objects' attribute values are an array without names.
///
/// The array has a place for each property: those of the topmost entity first, then those that each entity below it
/// adds; of each entity its attributes by name, then its relationships by name. Relationships' places are null: their
/// destinations are kept apart, by name.
final class BinaryEntity {
  let layout: EntityLayout
  let name: [UInt8]
  /// The properties in their places; nil for what is no stored attribute.
  let places: [LayoutProperty?]
  /// The same without places for transient attributes.
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

  /// The elements of a composite attribute, at each level in the order of their names.
  private static func leavesByName(_ property: LayoutProperty) -> [LayoutProperty] {
    guard property.kind == .composite else { return [property] }
    return property.elements.sorted { $0.ownName < $1.ownName }.flatMap(leavesByName)
  }

  /// How an array of this many values is to be read; nil if it is none of this entity.
  func places(count: Int) -> [LayoutProperty?]? {
    count == places.count ? places : count == placesOfStored.count ? placesOfStored : nil
  }
}

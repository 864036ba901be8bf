/// Values that may be there and yet can't be read: a transformer makes nothing of the data, or a file is gone.
extension RowSnapshot {
  /// Whether an attribute has a value, be it one that can't be read.
  final func hasValue(_ property: LayoutProperty) -> Bool {
    property.kind != .toOne && property.word >= 0 && !isNull(slot: property.slot)
  }

  /// The object of a transformable attribute; nil if there is none, or if it can't be made of the data.
  final func object(ofTransformable property: LayoutProperty) -> Any? {
    guard case .data(let data) = value(property) else { return nil }
    return try? property.attribute.unarchivedValue(ofTransformable: data)
  }
}

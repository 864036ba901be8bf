/// What has a fetch request in a model: a template or a fetched property. Once the model is in use, the request can't
/// be changed.
final class RequestHolder {
  private let model: LivingReference<NSManagedObjectModel>
  private weak var property: NSPropertyDescription?
  /// Whether a fetched property has the request, and no template.
  let isProperty: Bool
  let description: String

  init(template name: String, of model: NSManagedObjectModel) {
    self.model = LivingReference(model)
    isProperty = false
    description = "the template \"\(name)\""
  }

  init(_ property: NSPropertyDescription) {
    model = LivingReference()
    self.property = property
    isProperty = true
    description = "the fetched property \(property.owningEntity?.name ?? "(no entity)").\(property.name)"
  }

  var isFrozen: Bool { model.object?.isFrozen ?? property?.isFrozen ?? false }
}

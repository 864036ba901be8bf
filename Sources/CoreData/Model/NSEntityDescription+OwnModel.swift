extension NSEntityDescription {
  /// The entity's model. If it is in none, or its model is gone, it gets one of its own, which lives as long as the
  /// objects that are made with it, and lets another model take the entity over. The entities that it leads to are in
  /// that model too.
  final var modelForObjects: NSManagedObjectModel {
    if let owningModel { return owningModel }
    var entities = [self]
    var next = 0
    while next < entities.count {
      let entity = entities[next]
      next += 1
      let destinations = entity.ownProperties.compactMap { ($0 as? NSRelationshipDescription)?.storedDestinationEntity }
      for other in [entity.storedSuperentity].compactMap({ $0 }) + entity.storedSubentities + destinations
      where other.owningModel == nil && !entities.contains(where: { $0 === other }) { entities.append(other) }
    }
    let model = NSManagedObjectModel()
    model.isProvisional = true
    model.entities = entities
    return model
  }
}

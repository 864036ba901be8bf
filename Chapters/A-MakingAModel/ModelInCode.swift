import CoreData

//> model-in-code
/// A model without any file: two entities, and a relationship with its inverse.
public enum ModelInCode {
  public static func make() -> NSManagedObjectModel {
    let name = NSAttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType
    name.isOptional = false

    let litres = NSAttributeDescription()
    litres.name = "litres"
    litres.attributeType = .doubleAttributeType
    litres.defaultValue = 1.0
    litres.setValidationPredicates(
      [NSPredicate(format: "SELF <= %f", 3.0)],
      withValidationWarnings: ["A pot holds 3 litres at most"])

    let pot = NSEntityDescription()
    pot.name = "Pot"
    let shelf = NSEntityDescription()
    shelf.name = "Shelf"

    let pots = NSRelationshipDescription()
    pots.name = "pots"
    pots.destinationEntity = pot
    pots.deleteRule = .cascadeDeleteRule
    let place = NSRelationshipDescription()
    place.name = "shelf"
    place.destinationEntity = shelf
    place.maxCount = 1
    pots.inverseRelationship = place
    place.inverseRelationship = pots

    shelf.properties = [name, pots]
    pot.properties = [litres, place]
    let model = NSManagedObjectModel()
    model.entities = [shelf, pot]
    return model
  }
}
//< model-in-code

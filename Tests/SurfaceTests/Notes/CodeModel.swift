import CoreData

/// A model built in code, as small libraries have it.
extension NSManagedObjectModel {
  static func cities() -> NSManagedObjectModel {
    let country = NSEntityDescription()
    country.name = "Country"
    country.managedObjectClassName = NSStringFromClass(Country.self)
    let city = NSEntityDescription()
    city.name = "City"
    city.managedObjectClassName = "NSManagedObject"

    let code = NSAttributeDescription()
    code.name = "code"
    code.attributeType = .stringAttributeType
    code.isOptional = false
    code.setValidationPredicates(
      [NSPredicate(format: "length == 2")], withValidationWarnings: ["A country's code has two letters"])

    let name = NSAttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType
    name.defaultValue = "?"
    let founded = NSAttributeDescription()
    founded.name = "founded"
    founded.attributeType = .dateAttributeType
    let area = NSAttributeDescription()
    area.name = "area"
    area.attributeType = .doubleAttributeType
    area.defaultValue = 0.0
    area.userInfo = ["unit": "km2"]

    let cities = NSRelationshipDescription()
    let owner = NSRelationshipDescription()
    cities.name = "cities"
    cities.destinationEntity = city
    cities.minCount = 0
    cities.maxCount = 0
    cities.deleteRule = .cascadeDeleteRule
    cities.inverseRelationship = owner
    owner.name = "country"
    owner.destinationEntity = country
    owner.minCount = 0
    owner.maxCount = 1
    owner.deleteRule = NSDeleteRule.nullifyDeleteRule
    owner.inverseRelationship = cities

    country.properties = [code, cities]
    country.uniquenessConstraints = [["code"]]
    city.properties = [name, founded, area, owner]
    city.indexes = [
      NSFetchIndexDescription(
        name: "byName", elements: [NSFetchIndexElementDescription(property: name, collationType: .binary)])
    ]

    let model = NSManagedObjectModel()
    model.entities = [country, city]
    model.setEntities([country, city], forConfigurationName: "Local")
    return model
  }
}

final class Country: NSManagedObject {}

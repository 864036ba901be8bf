import Foundation

extension NSMappingModel {
  /// The mapping that two models imply; throws an error with the code 134190, whose `userInfo` has `entity`,
  /// `property` and `reason`, where a change needs a program's help.
  open class func inferredMappingModel(
    forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
  ) throws -> NSMappingModel {
    try publicErrors { NSMappingModel(try ModelDelta(inferredFrom: sourceModel, to: destinationModel)) }
  }

  /// The mappings that do what a delta says.
  convenience init(_ delta: ModelDelta) {
    self.init()
    inferredDelta = delta
  }
}

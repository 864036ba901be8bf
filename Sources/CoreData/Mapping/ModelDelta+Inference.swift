/// Which changes of a model need no mapping model of the program's.
extension ModelDelta {
  /// Finds out what is what.
  ///
  /// - Parameter configuration: of both models, where the source has it; nil for all entities.
  /// - Throws: `Failure.notInferable` for the first change that needs a program's help.
  init(
    inferredFrom source: NSManagedObjectModel, to destination: NSManagedObjectModel, configuration: String? = nil
  ) throws {
    throw Failure.notInferable(entity: nil, property: nil, reason: "nothing is inferred yet")
  }
}

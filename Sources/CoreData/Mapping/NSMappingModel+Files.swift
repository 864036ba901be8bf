import Foundation

extension NSMappingModel {
  /// The mapping model among a bundle's `.cdm` files whose entity mappings are between these two models, by version
  /// hashes; nil where there is none. For nil the main bundle, which in a Swift package is where the resources of the
  /// program's targets lie.
  public convenience init?(
    from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
    destinationModel: NSManagedObjectModel?
  ) {
    return nil
  }

  /// The mapping model in a `.cdm` file; nil where it can't be read.
  public convenience init?(contentsOf url: URL?) {
    return nil
  }
}

/// Generated code: a new model, and the storage that it has made for itself.
public struct _ModelForRow {
  let model: AnyObject
  @usableFromInline let storage: ModelStorage?

  /// - Parameters:
  ///   - model: an object of a class that no other is between.
  ///   - data: what `createBackingData()` has made for it.
  @inlinable
  public init<Model: PersistentModel>(_ model: Model, _ data: any BackingData<Model>) {
    self.init(model, storage: _StorageReference(data)?.storage.takeUnretainedValue())
  }

  /// A model of a class whose properties begin with values. The storage has kept these, and drops them.
  @inlinable
  public init<Model: PersistentModel>(droppingValuesOf model: Model, _ data: any BackingData<Model>) {
    self.init(model, data)
    storage?.dropValues()
  }

  @usableFromInline
  init(_ model: AnyObject, storage: ModelStorage?) {
    self.model = model
    self.storage = storage
  }
}

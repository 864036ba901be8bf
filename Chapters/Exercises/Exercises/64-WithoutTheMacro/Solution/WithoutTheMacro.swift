import ExerciseSupport
import SwiftData

/// A model that no macro has touched. What `@Model` writes into a class is here by hand, but for the accessors.
final class HandmadeNote: PersistentModel, Observable {
  private var _$backingData: any BackingData<HandmadeNote> = HandmadeNote.createBackingData()
  private let _$observationRegistrar = ObservationRegistrar()

  var text: String {
    get {
      _$observationRegistrar.access(self, keyPath: \.text)
      return getValue(forKey: \.text)
    }
    set {
      // What matters: the registrar hears who looks and who changes. The value alone would reach no view.
      //= setValue(forKey: \.text, to: newValue)
      _$observationRegistrar.withMutation(of: self, keyPath: \.text) { setValue(forKey: \.text, to: newValue) }
    }
  }

  init(text: String) { self.text = text }

  init(backingData: any BackingData<HandmadeNote>) { persistentBackingData = backingData }

  var persistentBackingData: any BackingData<HandmadeNote> {
    get { _$backingData }
    set { _$backingData = newValue }
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [Schema.PropertyMetadata(name: "text", keypath: \HandmadeNote.text, defaultValue: nil, metadata: nil)]
  }
}

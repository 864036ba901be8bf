import ExerciseSupport
import SwiftData

/// A model that no macro has touched. What `@Model` writes into a class is here by hand, but for the accessors.
final class HandmadeNote: PersistentModel, Observable {
  private var _$backingData: any BackingData<HandmadeNote> = HandmadeNote.createBackingData()
  private let _$observationRegistrar = ObservationRegistrar()

  // TODO: Let the value come from the model's storage and go there, and let observers hear of both.
  var text: String {
    get { "" }
    set { _ = newValue }
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

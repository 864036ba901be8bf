/// What happens to the bits of `state` that are an object's own. Only these transitions write them; everyone may ask
/// `state`.
///
/// | transition              | afterwards                                   | called when                           |
/// |-------------------------|----------------------------------------------|---------------------------------------|
/// | `began(asFault:)`       | the identity map has it; a fault, or read    | it was made for a row, or rolled back |
/// | `enteredMap()`          | the identity map has it                      | a new object is registered            |
/// | `leftMap()`             | the identity map no longer has it            | it leaves its context                 |
/// | `forgotContext(…)`      | in no map, not inaccessible; perhaps a fault | it has left, or is to arrive again    |
/// | `gotValues()`           | no fault                                     | its row was read, or it is inserted   |
/// | `lostRow()`             | no fault, inaccessible                       | there is no row to be read            |
/// | `becameFault()`         | a fault, not inaccessible                    | its values were dropped               |
/// | `beganSettingQuietly()` | what is set is no change                     | `awakeFromFetch()` or a primitive     |
/// |                         |                                              | setter begins                         |
/// | `endedSettingQuietly()` | what is set is a change                      | that is over                          |
extension NSManagedObject {
  private final var ownBits: OwnState {
    get { ownState }
    set { setOwnState(newValue, OwnState.Right()) }
  }

  final func began(asFault isFault: Bool) { ownBits = isFault ? [.registered, .fault] : [.registered] }

  final func enteredMap() { ownBits.insert(.registered) }

  final func leftMap() { ownBits.remove(.registered) }

  final func forgotContext(asFault isFault: Bool = false) { ownBits = isFault ? [.fault] : [] }

  final func gotValues() { ownBits.remove(.fault) }

  final func lostRow() {
    ownBits.remove(.fault)
    ownBits.insert(.inaccessible)
  }

  final func becameFault() {
    ownBits.remove(.inaccessible)
    ownBits.insert(.fault)
  }

  final func beganSettingQuietly() { ownBits.insert(.setsQuietly) }

  final func endedSettingQuietly() { ownBits.remove(.setsQuietly) }
}

extension OwnState {
  /// The right to write an object's own bits. Only this file can make one.
  struct Right {
    fileprivate init() {}
  }
}

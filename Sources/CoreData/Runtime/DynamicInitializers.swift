// How an object is made of a class that a model, a mapping or a store's type names, which is known only as the program
// runs.
//
// Swift calls only `required` initializers on such a class. They can neither be overridden by `override`, nor be left
// out by a subclass that has others, as those of a class from Objective-C can. But the code of a convenience
// initializer takes the class as a value, and asks that class for the designated initializer that it calls. So a
// function of the class is declared with the symbol of such an initializer, in the same file, where the compiler
// compares the two. A class that has not got the designated one ends the program there, with Swift's sentence that
// names both.
//
// The same goes for a client's static methods, where `self.init(concurrencyType:)` speaks of such a class. There Swift
// takes an initializer of a protocol's extension instead, which is called on any class, and calls that function. Where
// the class is known, its own initializer is preferred.
//
// The class is that of the method's result: `Self` is the one that the method is called on, but a method that returns
// the extended class by its name makes an object of that one.

extension RuntimeAssumption {
  /// Whether a class that is a value makes an object by the initializer that it overrides.
  static let makesObjectsOfValues: Bool = {
    let value: Overridden.Type = Overriding.self
    return value.makeDynamically().number == 2
  }()
}

private class Overridden {
  let number: Int
  init(number: Int) { self.number = number }

  @_silgen_name("core_data_make_overridden")
  convenience init(dynamically: Void) { self.init(number: 1) }
}

extension Overridden {
  @_silgen_name("core_data_make_overridden")
  fileprivate static func makeDynamically() -> Overridden
}

private final class Overriding: Overridden {
  override init(number: Int) { super.init(number: number + 1) }
}

// `NSPredicate(format: "author == %@", author as CVarArg)` compiles, as on Apple's platforms.

extension NSManagedObject: CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

extension NSManagedObjectID: CVarArg {
  public var _cVarArgEncoding: [Int] { described(self) }
}

// Lets `NSPredicate(format: "author == %@", author as CVarArg)` compile, as on Apple's platforms.

extension NSManagedObject: CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

extension NSManagedObjectID: CVarArg {
  public var _cVarArgEncoding: [Int] { encodedDescription(self) }
}

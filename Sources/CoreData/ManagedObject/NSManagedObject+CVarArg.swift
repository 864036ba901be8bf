// Lets `NSPredicate(format: "author == %@", author as CVarArg)` compile, as on Apple's platforms.

extension NSManagedObject: CVarArg, _DescribedArgument {}

extension NSManagedObjectID: CVarArg, _DescribedArgument {}

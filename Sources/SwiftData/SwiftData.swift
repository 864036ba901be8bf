@_exported import Foundation
@_exported import Observation

@_exported import class CoreData.UndoManager
@_exported import class CoreData.ValueTransformer

@_exported import Foundation
@_exported import Observation

@_exported import class CoreData.NSSecureUnarchiveFromDataTransformer
@_exported import struct CoreData.NSValueTransformerName
@_exported import class CoreData.UndoManager
@_exported import class CoreData.ValueTransformer

import CoreData
import Foundation
import Testing
@Suite struct ManagerTests {}

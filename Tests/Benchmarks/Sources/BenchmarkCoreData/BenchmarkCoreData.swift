import BenchmarkDriver
import CoreData

/// The driver of the module CoreData: what a program written for Apple's framework does, on the main thread
/// except where an operation says otherwise.
@main
struct BenchmarkCoreData {
  static func main() throws {
    let run = Run()
    if run.operation == "open" { return try openFiftyEntities(run) }
    if run.operation == "decode" { return try Importing.decode(run) }
    if try Relating.run(run) { return }
    if try Migrating.run(run) { return }
    let context = try openStack(run)
    let reading = Reading(run: run, context: context)
    let asking = Asking(run: run, context: context)
    let writing = Writing(run: run, context: context)
    switch run.operation {
    case "insert": try writing.insert()
    case "batchinsert": try writing.batchInsert()
    case "batchinsertobject": try writing.batchInsertObject()
    case "import": try Importing(run: run, context: context).importCatalog()
    case "update": try writing.update()
    case "delete": try writing.delete()
    case "write1", "writefull": try writing.writeBlocks(booksPerBlock: 1)
    case "write10": try writing.writeBlocks(booksPerBlock: 10)
    case "write100": try writing.writeBlocks(booksPerBlock: 100)
    case "writebeside": try writing.writeBesideReader()
    case "writegroup": try writing.writeGroups()
    case "fetch": try reading.fetch()
    case "reread": try reading.reread()
    case "rereadkey": try reading.rereadByKey()
    case "faults": try reading.faults()
    case "fetchids": try reading.objectIDs()
    case "fire": try reading.fire()
    case "batch": try reading.batch()
    case "indexed": try reading.indexed()
    case "scan": try reading.scan()
    case "any": try asking.any()
    case "group": try asking.group()
    case "traverse": try asking.traverse()
    case "prefetch": try asking.prefetch()
    case "parse": asking.parse()
    case "evaluate": try asking.evaluate()
    case "evaluateclosure": try asking.evaluateClosure()
    case "memory": try reading.memory()
    case "batchmemory": try reading.batchMemory()
    default: run.unknownOperation()
    }
  }
}

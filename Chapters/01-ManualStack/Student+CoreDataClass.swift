import CoreData

//> student-class
#if canImport(ObjectiveC)
@objc(Student)
#endif
public class Student: NSManagedObject {}
//< student-class

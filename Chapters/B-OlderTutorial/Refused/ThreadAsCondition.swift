import CoreData

func check() {
  //> thread-condition
  if Thread.mainThread {
    print("on the main thread")
  }
  //< thread-condition
}
// error: cannot convert value of type 'Thread' to expected condition type 'Bool'

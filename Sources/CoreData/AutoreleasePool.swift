/// Runs a block. There are no autorelease pools on Linux; sources that use them compile and need none.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }

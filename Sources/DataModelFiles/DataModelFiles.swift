// The values of a data model file.

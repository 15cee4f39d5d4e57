// Nearly every test of the core begins with a realm of its own: no further import is needed for one.
@_exported import CoreTestSupport

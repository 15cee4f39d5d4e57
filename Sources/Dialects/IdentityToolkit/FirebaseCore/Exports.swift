// Apps for the original import `FirebaseCore` beside `FirebaseAuth`, to configure the app. Here both come from one module;
// this one lets their import lines stay as they are.
@_exported import class FirebaseAuth.FirebaseApp
@_exported import class FirebaseAuth.FirebaseOptions

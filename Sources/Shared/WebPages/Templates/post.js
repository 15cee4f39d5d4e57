// Sends the form of a page that only hands an answer on to an application.
document.querySelector("main form").submit();

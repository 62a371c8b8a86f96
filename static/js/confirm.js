// Puts the focus on the button that confirms, so that Enter does it; `autofocus` alone
// loses against a browser that restores the focus of a page it has seen before.

document.querySelector("[autofocus]")?.focus();

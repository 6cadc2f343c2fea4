// login.js - exchanges the token behind # for a cookie, and removes it from the address.
"use strict";

(async () => {
  const token = /^#token=([0-9a-f]{32})$/.exec(location.hash);
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  const answer = await fetch("login", { method: "POST", body: token[1] });
  if (answer.ok) location.reload();
  else document.getElementById("ask").textContent = "This token is not valid any more: dolly watch was started anew.";
})();

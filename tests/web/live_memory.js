// live_memory.js - how much memory a page that is kept up to date takes: node tests/web/live_memory.js MODULES ADDRESS
//
// Prints a line when the page is there. When its stdin ends it prints the MB of memory that the process of the page
// has for itself, as the browser counts them.
"use strict";

const fs = require("fs");
const path = require("path");
const [modules, address] = process.argv.slice(2);
const { chromium } = require(path.resolve(modules, "playwright-core"));

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium-headless-shell",
    args: ["--disable-dev-shm-usage", ...(process.getuid() ? [] : ["--no-sandbox"])], timeout: 120000 });
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  page.setDefaultTimeout(120000);
  await page.goto(address);
  await page.waitForFunction(() => document.querySelector("#live p") && window.timeline && window.timeline.w);
  console.log("there");
  await new Promise((end) => process.stdin.on("end", end).resume());
  const all = await browser.newBrowserCDPSession();
  const pages = (await all.send("SystemInfo.getProcessInfo")).processInfo.filter((p) => p.type === "renderer");
  const kib = pages.map((p) => +/RssAnon:\s*(\d+)/.exec(fs.readFileSync(`/proc/${p.id}/status`, "utf8"))[1]);
  console.log((Math.max(...kib) / 1024).toFixed(0));
  await browser.close();
})();

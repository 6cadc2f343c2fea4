// live_memory.js - how much memory a page that is kept up to date takes: node tests/web/live_memory.js MODULES ADDRESS
//
// Prints a line when the page is there. When its stdin ends it prints the most MB that the process of the page had for
// itself (RssAnon: what it shares with other processes of the browser, its program for one, is there without the page),
// and how often the page was made anew.
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
  await page.evaluate(() => {
    window.refreshes = 0;
    document.addEventListener("refreshed", () => window.refreshes++);
  });
  console.log("there");
  let ended = false, most = 0;
  process.stdin.on("end", () => { ended = true; }).resume();
  const all = await browser.newBrowserCDPSession();
  do {
    await new Promise((done) => setTimeout(done, 500));
    const pages = (await all.send("SystemInfo.getProcessInfo")).processInfo.filter((p) => p.type === "renderer");
    most = Math.max(most, ...pages.map((p) => +/RssAnon:\s*(\d+)/.exec(fs.readFileSync(`/proc/${p.id}/status`, "utf8"))[1]));
  } while (!ended);
  console.log((most / 1024).toFixed(0), await page.evaluate(() => window.refreshes));
  await browser.close();
})();

// frames.js - how fast a page is: node tests/web/frames.js MODULES PAGE.html
//
// Prints: ms until the first words are painted, ms until the timeline is; frames a second while zooming, and the ms of
// CPU time of all processes of the browser for each; the same while panning. CPU time says something on a busy machine, too.
"use strict";

const path = require("path");
const [modules, file] = process.argv.slice(2).map((p) => path.resolve(p));
const { chromium } = require(path.join(modules, "playwright-core"));
const FRAMES = 60;

// Frames in which the view changes, from all of the run to a hundredth of it, or along it: their rate.
const frames = (page, what) => page.evaluate(([name, count]) => new Promise((done) => {
  const { timeline } = window, begun = performance.now();
  let left = count;
  timeline.axis.fit();
  if (name === "pan") timeline.axis.zoom(0.2, 0);
  const next = () => {
    if (left-- === 0) return done(1000 * count / (performance.now() - begun));
    if (name === "zoom") timeline.axis.zoom(left > count / 2 ? 0.86 : 1 / 0.86, 0.5);
    else timeline.axis.move(left > count / 2 ? -0.05 : 0.05);
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}), [what, FRAMES]);

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium-headless-shell",
    args: ["--disable-dev-shm-usage", ...(process.getuid() ? [] : ["--no-sandbox"])] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } }), all = await browser.newBrowserCDPSession();
  const spent = async () => (await all.send("SystemInfo.getProcessInfo")).processInfo.reduce((sum, p) => sum + p.cpuTime, 0);
  page.setDefaultTimeout(120000);
  await page.goto(`file://${file}`, { waitUntil: "commit" });
  let ready = 0;
  while (!(ready = await page.evaluate(() => (window.timeline && window.timeline.w ? performance.now() : 0)))) await page.waitForTimeout(5);
  const first = await page.evaluate(() => (performance.getEntriesByName("first-contentful-paint")[0] || { startTime: NaN }).startTime);
  const numbers = [first, ready];
  for (const what of ["zoom", "pan"]) {
    const before = await spent();
    numbers.push(await frames(page, what), (await spent() - before) * 1000 / FRAMES);
  }
  console.log(numbers.map((n) => n.toFixed(0)).join(" "));
  await browser.close();
})();

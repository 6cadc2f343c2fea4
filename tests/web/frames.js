// frames.js - how fast a page is: node tests/web/frames.js MODULES PAGE.html
//
// Prints: ms until the first words are painted, ms until the timeline is, frames a second while zooming, while panning.
"use strict";

const path = require("path");
const [modules, file] = process.argv.slice(2).map((p) => path.resolve(p));
const { chromium } = require(path.join(modules, "playwright-core"));

// Frames in which the view changes, from all of the run to a hundredth of it, or along it.
const frames = (page, what) => page.evaluate((name) => new Promise((done) => {
  const FRAMES = 60, { timeline } = window, begun = performance.now();
  let left = FRAMES;
  timeline.axis.fit();
  if (name === "pan") timeline.axis.zoom(0.2, 0);
  const next = () => {
    if (left-- === 0) return done(1000 * FRAMES / (performance.now() - begun));
    if (name === "zoom") timeline.axis.zoom(left > FRAMES / 2 ? 0.86 : 1 / 0.86, 0.5);
    else timeline.axis.move(left > FRAMES / 2 ? -0.05 : 0.05);
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}), what);

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium-headless-shell",
    args: ["--disable-dev-shm-usage", ...(process.getuid() ? [] : ["--no-sandbox"])] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(120000);
  await page.goto(`file://${file}`, { waitUntil: "commit" });
  let ready = 0;
  while (!(ready = await page.evaluate(() => (window.timeline && window.timeline.w ? performance.now() : 0)))) await page.waitForTimeout(5);
  const first = await page.evaluate(() => (performance.getEntriesByName("first-contentful-paint")[0] || { startTime: NaN }).startTime);
  const zoom = await frames(page, "zoom"), pan = await frames(page, "pan");
  console.log([first, ready, zoom, pan].map((n) => n.toFixed(0)).join(" "));
  await browser.close();
})();

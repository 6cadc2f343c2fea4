// shoot.js - a picture of a page: node tests/web/shoot.js MODULES PAGE.html PICTURE WIDTH HEIGHT [SCRIPT]
"use strict";

const path = require("path");
const [modules, file, picture] = process.argv.slice(2, 5).map((p) => path.resolve(p)), [width, height, script] = process.argv.slice(5);
const { chromium } = require(path.join(modules, "playwright-core"));

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium-headless-shell",
    args: ["--disable-dev-shm-usage", ...(process.getuid() ? [] : ["--no-sandbox"])] });
  const page = await browser.newPage({ viewport: { width: +width, height: +height } });
  await page.goto(`file://${file}`);
  while (!await page.evaluate(() => document.querySelector("canvas"))) await page.waitForTimeout(20);
  if (script) await page.evaluate(script);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: picture, ...(picture.endsWith(".jpg") ? { type: "jpeg", quality: 40 } : {}) });
  await browser.close();
})();

// shoot.js - a picture of a page: node tests/web/shoot.js MODULES PAGE PICTURE.png WIDTH HEIGHT SCHEME [SCRIPT]
//
// PAGE is a file, or an address of `dolly watch`. Pages have few colours: a picture keeps the most frequent ones, which
// makes it a third as large.
"use strict";

const fs = require("fs");
const path = require("path");
const zlib = require("zlib");
const [modules, file, picture] = process.argv.slice(2, 5).map((p) => path.resolve(p)), [width, height, colorScheme, script] = process.argv.slice(5);
const { chromium } = require(path.join(modules, "playwright-core"));

// The parts of a PNG by their names, those of one name joined, and the other way round.
function partsOf(png) {
  const parts = {};
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const name = png.toString("latin1", at + 4, at + 8), body = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    parts[name] = parts[name] ? Buffer.concat([parts[name], body]) : body;
  }
  return parts;
}

function pngOf(parts) {
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), ...parts.map(([name, body]) => {
    const head = Buffer.alloc(4), tail = Buffer.alloc(4), named = Buffer.concat([Buffer.from(name), body]);
    head.writeUInt32BE(body.length);
    tail.writeUInt32BE(zlib.crc32(named));
    return Buffer.concat([head, named, tail]);
  })]);
}

// The bytes of lines without their filters; `each`: bytes of a pixel.
function linesOf(data, wide, high, each) {
  const size = wide * each, out = Buffer.alloc(size * high), nearest = (a, b, c) => {
    const p = a + b - c, [x, y, z] = [a, b, c].map((v) => Math.abs(p - v));
    return x <= y && x <= z ? a : y <= z ? b : c;
  };
  for (let y = 0; y < high; y++)
    for (let x = 0; x < size; x++) {
      const i = y * size + x, left = x < each ? 0 : out[i - each], above = y ? out[i - size] : 0, corner = x < each || !y ? 0 : out[i - size - each];
      out[i] = data[y * (size + 1) + 1 + x] + [0, left, above, (left + above) >> 1, nearest(left, above, corner)][data[y * (size + 1)]];
    }
  return out;
}

// The same picture with at most 128 colours: the most frequent, and the nearest of them for all others.
function small(png) {
  const { IHDR, IDAT } = partsOf(png), wide = IHDR.readUInt32BE(0), high = IHDR.readUInt32BE(4), each = IHDR[9] === 6 ? 4 : 3;
  const pixels = linesOf(zlib.inflateSync(IDAT), wide, high, each), counts = new Map(), at = (i) => pixels.readUIntBE(i * each, 3);
  for (let i = 0; i < wide * high; i++) counts.set(at(i), (counts.get(at(i)) || 0) + 1);
  const kept = [...counts].sort((p, q) => q[1] - p[1]).slice(0, 128).map(([c]) => c), places = new Map(), far = (p, q) =>
    [16, 8, 0].reduce((sum, k) => sum + ((p >> k & 255) - (q >> k & 255)) ** 2, 0);
  for (const c of counts.keys()) places.set(c, kept.reduce((best, k, i) => (far(k, c) < far(kept[best], c) ? i : best), 0));
  const lines = Buffer.alloc((wide + 1) * high), head = Buffer.from(IHDR);
  for (let i = 0; i < wide * high; i++) lines[Math.floor(i / wide) * (wide + 1) + 1 + i % wide] = places.get(at(i));
  head[8] = 8;
  head[9] = 3;
  return pngOf([["IHDR", head], ["PLTE", Buffer.from(kept.flatMap((c) => [c >> 16, c >> 8 & 255, c & 255]))],
    ["IDAT", zlib.deflateSync(lines, { level: 9, memLevel: 9 })], ["IEND", Buffer.alloc(0)]]);
}

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium-headless-shell",
    args: ["--disable-dev-shm-usage", ...(process.getuid() ? [] : ["--no-sandbox"])] });
  const page = await browser.newPage({ viewport: { width: +width, height: +height }, colorScheme });
  const served = /^http:/.test(process.argv[3]), ready = served ? () => document.querySelector("#live p[data-turn]") : () => true;
  await page.goto(served ? process.argv[3] : `file://${file}`);
  const has = () => page.evaluate(() => !!(window.timeline || window.timelines)).catch(() => false);
  while (!await has() || !await page.evaluate(ready).catch(() => false)) await page.waitForTimeout(20);
  if (script) await page.evaluate(script);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  fs.writeFileSync(picture, small(await page.screenshot()));
  await browser.close();
})();

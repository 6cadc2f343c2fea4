// pages.js - looks at pages as their readers do: node tests/web/pages.js MODULES PAGES LOOKS
//
// Prints `ok WHAT` or `not ok WHAT: WHY` for each check. PAGES holds what tests/e2e/commands/web.sh has made.
"use strict";

const fs = require("fs");
const path = require("path");
const [modules, pages, looksFile] = process.argv.slice(2).map((p) => path.resolve(p));
const { chromium } = require(path.join(modules, "playwright-core"));
const axe = fs.readFileSync(path.join(modules, "axe-core", "axe.min.js"), "utf8");

const facts = (name) => JSON.parse(fs.readFileSync(path.join(pages, `${name}.json`), "utf8"));

async function check(what, test) {
  try {
    await test();
    console.log(`ok ${what}`);
  } catch (e) {
    console.log(`not ok ${what}: ${e.message.split("\n").slice(0, 4).join(" | ")}`);
  }
}

function same(is, want) {
  if (JSON.stringify(is) !== JSON.stringify(want)) throw new Error(`${JSON.stringify(is)}, want ${JSON.stringify(want)}`);
}

function holds(what, value) {
  if (!value) throw new Error(`not true: ${what}`);
}

// ---- opening ----

let browser;

// A page from its file, with everything that it should not have done.
async function open(name, options) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  context.setDefaultTimeout(120000); // only what hangs ends here
  const page = await context.newPage(), wrong = [], url = `file://${path.join(pages, `${name}.html`)}`;
  page.on("console", (m) => (m.type() === "error" || m.type() === "warning") && wrong.push(m.text()));
  page.on("pageerror", (e) => wrong.push(e.message));
  page.on("dialog", (d) => wrong.push(`dialog: ${d.message()}`) && d.dismiss());
  page.on("request", (r) => r.url() !== url && !r.url().startsWith("data:") && !r.url().startsWith("blob:") && wrong.push(`asks for ${r.url()}`));
  await page.goto(url);
  if (!options || options.javaScriptEnabled !== false) await until(page, () => document.querySelector("canvas"));
  return { page, wrong, close: () => context.close() };
}

// Waits for a condition. (waitForFunction evaluates text in the page, which its policy forbids.)
async function until(page, condition, argument) {
  for (let i = 0; !await page.evaluate(condition, argument); i++) {
    if (i === 5000) throw new Error(`waited in vain for ${condition}`);
    await page.waitForTimeout(20);
  }
}

// Two frames: what was asked to be drawn is drawn.
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// ---- every page ----

// Lets visitors look at a page, one after the other, and asks at the end what went wrong meanwhile.
async function inspect(name, ...visitors) {
  const { page, wrong, close } = await open(name);
  await drawn(page);
  await check(`${name}: nothing in its names became markup`, async () => same(await page.evaluate(() => document.querySelectorAll("main img, main b b").length), 0));
  for (const visit of visitors) await visit(page);
  await check(`${name}: nothing is asked for, nothing goes wrong`, () => same(wrong, []));
  await close();
}

// For who uses no eyes or no mouse. Five rows of a table are like all of them; this is a page's last visitor.
const listen = (name) => (page) => check(`${name}: no serious finding of axe`, async () => {
  await page.evaluate(axe);
  const found = await page.evaluate(() => {
    for (const row of document.querySelectorAll("tbody tr:nth-child(n+6)")) row.remove();
    return axe.run(document, { resultTypes: ["violations"], preload: false });
  });
  same(found.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => `${v.id}: ${v.nodes[0].html}`), []);
});

// ---- the page of a run ----

const note = (page) => page.textContent(".note");

// Where a row is on the screen.
const middleOf = (page, row) => page.evaluate((r) => {
  const t = window.timeline, box = t.canvas.getBoundingClientRect();
  return [box.left + (t.x(t.a.from[r]) + t.x(t.a.to[r])) / 2 / t.ratio, box.top + (t.y(r) + t.laneHeight / 2) / t.ratio];
}, row);

async function numbers(page) {
  const f = facts("run"), a = f.attempts;
  const story = await page.textContent("#story"), held = Object.entries(f.held_up).filter(([cause, h]) => cause !== "late_start" && h.phases).map(([, h]) => h);
  await check("numbers of the story are those of explain", () => holds("clones and kills",
    story.includes(`${a.clone.launched} clones launched, ${a.clone.won} won.`) && story.includes(`${f.killed} attempts were killed`)));
  await check("causes are those of explain", async () => same(
    await page.$$eval("#causes tbody tr", (all) => all.map((c) => [+c.cells[1].textContent, +c.dataset.us / 1e6])), held.map((h) => [h.phases, h.seconds])));
  await check("the headline is the mean of jobs", async () => holds("as many", (await page.textContent("h1")).startsWith(`${f.jobs} jobs, mean `)));
  const launched = Object.values(a).reduce((n, kind) => n + kind.launched, 0) + f.withdrawn;
  await check("every attempt is there", async () => same(await note(page), `${launched} of ${launched} attempts shown.`));
  await check("as many have won, by kind", async () => same(
    await page.evaluate(() => timeline.run.data.kinds.map((_, k) => timeline.a.fate.filter((f, i) => f === 1 && timeline.a.kind[i] === k).length)),
    Object.values(a).map((kind) => kind.won)));
}

async function use(page) {
  const f = facts("run");
  const row = await page.evaluate(() => timeline.a.fate.findIndex((fate, i) => fate === 1 && timeline.run.isExtra(i) && timeline.run.sources(i).length > 0));
  await page.$eval(".timeline", (c) => c.scrollIntoView());
  await drawn(page);
  await check("a click tells of an attempt", async () => {
    await page.evaluate((r) => { timeline.axis.t0 = timeline.a.from[r] - 5; timeline.axis.t1 = timeline.a.to[r] + 5; timeline.axis.changed(); }, row);
    await drawn(page);
    await page.mouse.click(...await middleOf(page, row));
    same(await page.evaluate(() => timeline.selected), row);
    holds("its story is told", /^Task \d+ of phase/.test(await page.textContent("#told")));
    holds("and how to ask for it", (await page.textContent("#told code")).startsWith("dolly explain "));
  });
  await check("its siblings are a click away", async () => {
    await page.click("#told button");
    holds("another one", await page.evaluate((r) => timeline.selected !== r && timeline.a.task[timeline.selected] === timeline.a.task[r], row));
  });
  await check("who read from whom", async () => holds("sources end before, readers list it", await page.evaluate((r) =>
    timeline.run.sources(r).every((s) => timeline.a.to[s] <= timeline.a.readTo[r] && timeline.run.readers(s).includes(r)), row)));
  await check("filters leave what they say", async () => {
    await page.selectOption("label:has-text('kind') select", { label: "clone" });
    same((await note(page)).split(" ")[0], `${f.attempts.clone.launched}`);
    await page.click("text=show all");
    holds("all again", /^(\d+) of \1 /.test(await note(page)));
  });
  await check("search finds jobs by their names", async () => {
    const [name, count] = await page.evaluate(() => {
      const { name } = timeline.run.data.jobs[0], ids = new Set(timeline.run.data.jobs.filter((j) => j.name.includes(name)).map((j) => j.id));
      return [name, timeline.a.job.filter((j) => ids.has(j)).length];
    });
    await page.fill("input[type=search]", name);
    same((await note(page)).split(" ")[0], `${count}`);
    holds("they are kept to be drawn above all others", await page.evaluate((n) => timeline.left.length === n, count));
    await page.fill("input[type=search]", "no such job");
    same((await note(page)).split(" ")[0], "0");
    await page.fill("input[type=search]", "");
  });
  await check("a job of the table is shown alone, by keyboard too", async () => {
    await page.$eval("#slowest", (d) => { d.open = true; });
    await page.focus("#jobs tbody button");
    await page.keyboard.press("Enter");
    same(await page.inputValue("input[type=search]"), await page.textContent("#jobs tbody button"));
    await page.click("text=show all");
  });
}

async function move(page) {
  const span = () => page.evaluate(() => timeline.axis.t1 - timeline.axis.t0), first = () => page.evaluate(() => timeline.axis.t0);
  const box = await page.$eval(".timeline", (c) => { c.scrollIntoView(); const b = c.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; });
  await check("the wheel zooms, with shift into lanes", async () => {
    const before = await span();
    await page.mouse.move(...box);
    await page.mouse.wheel(0, -200);
    await until(page, (b) => timeline.axis.t1 - timeline.axis.t0 < b * 0.9, before);
    const lane = await page.evaluate(() => timeline.laneHeight);
    await page.keyboard.down("Shift");
    await page.mouse.wheel(0, -200);
    await page.keyboard.up("Shift");
    await until(page, (b) => timeline.laneHeight > b, lane);
  });
  await check("dragging moves", async () => {
    const before = await first();
    await page.mouse.down();
    await page.mouse.move(box[0] + 100, box[1], { steps: 4 });
    await page.mouse.up();
    holds("to the left", await first() < before);
  });
  await check("keys zoom, move, step and close", async () => {
    await page.focus(".timeline");
    let before = await span();
    await page.keyboard.press("+");
    holds("+", await span() < before);
    await page.keyboard.press("-");
    before = await first();
    await page.keyboard.press("ArrowRight");
    holds("right", await first() > before);
    await page.keyboard.press("0");
    same(await first(), 0);
    await page.keyboard.press("Escape");
    same(await page.evaluate(() => timeline.selected), -1);
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    await page.keyboard.press("p");
    same(await page.evaluate(() => timeline.selected), 0);
    await page.keyboard.press("Escape");
    holds("invited again", (await page.textContent("#told")).startsWith("Click"));
  });
}

// ---- other readers ----

async function others() {
  const bare = await open("run", { javaScriptEnabled: false });
  await check("without scripts the tables are there", async () => {
    await bare.page.click("#slowest summary");
    holds("jobs", await bare.page.isVisible("#jobs tbody tr"));
    holds("a word about it", await bare.page.isVisible("noscript p"));
    holds("no empty view", !await bare.page.isVisible("#view"));
  });
  await bare.close();
  for (const name of ["run", "compare", "figures"]) {
    const phone = await open(name, { viewport: { width: 375, height: 700 }, deviceScaleFactor: 2, colorScheme: "dark", hasTouch: true });
    await drawn(phone.page);
    await check(`${name}: fits a phone, and the dark`, async () => {
      same(await phone.page.evaluate(() => document.documentElement.scrollWidth), 375);
      same(phone.wrong, []);
    });
    if (name === "run") {
      await look("values over time, in the dark", ".series")(phone.page);
      await pinch(phone.page);
    }
    await phone.close();
  }
}

// Two fingers that part: side by side, and one above the other.
async function pinch(page) {
  const touch = await page.context().newCDPSession(page);
  const part = async (dx, dy) => {
    const [x, y] = await page.$eval(".timeline", (c) => { c.scrollIntoView(); const b = c.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; });
    for (const [type, by] of [["touchStart", 20], ["touchMove", 25], ["touchMove", 40], ["touchMove", 60], ["touchEnd", 0]])
      await touch.send("Input.dispatchTouchEvent", { type,
        touchPoints: by ? [{ x: x - by * dx, y: y - by * dy, id: 0 }, { x: x + by * dx, y: y + by * dy, id: 1 }] : [] });
    await drawn(page);
    return page.evaluate(() => [timeline.axis.t1 - timeline.axis.t0, timeline.laneHeight]);
  };
  await check("two fingers zoom, in time or into lanes", async () => {
    const before = await page.evaluate(() => [timeline.axis.t1 - timeline.axis.t0, timeline.laneHeight]), wide = await part(1, 0), high = await part(0, 1);
    holds(`in time: ${before}, ${wide}`, wide[0] < before[0] / 2 && wide[1] === before[1]);
    holds(`into lanes: ${wide}, ${high}`, high[0] === wide[0] && high[1] > 1.5 * wide[1]);
  });
}

async function words(page) {
  await check("every word of a command is told as it was", async () => {
    const told = await page.evaluate(() => [...timeline.run.stories.values()].join("\n"));
    for (const word of ["задача", "作业", "עבודה", "مهمة", "कार्य", "😀", "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>"])
      holds(word, told.includes(word));
    await page.evaluate(() => timeline.tell(timeline.a.fate.indexOf(4)));
    holds("and shown", (await page.textContent("#told")).includes("fail"));
    holds("what failed is told without a click", /^Task 1 of phase map/.test(await page.textContent("#failed .failure")));
  });
  await check("tasks of dolly map have the numbers that its users know", async () => same(
    await page.evaluate(() => [...new Set(timeline.a.number)].sort((x, y) => x - y)), [...Array(12).keys()].map((i) => i + 1)));
}

async function many(page) {
  await check("of a million attempts hundreds of thousands are shown, and the others counted", async () => {
    const [, shown, all, left, took] = /^(\d+) of (\d+) attempts shown; (\d+) more that took up to (.*) are left out\.$/.exec(await note(page));
    same([shown, +all + +left, took], [all, 1000000, "20 s"]);
    holds("many", +all > 200000);
    holds("from the beginning to the end", await page.evaluate(() => timeline.a.from[0] === 0 && timeline.a.to[timeline.a.count - 1] === timeline.axis.last));
  });
  await check("and it can be moved", async () => {
    await page.focus(".timeline");
    for (const key of ["+", "+", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
    await drawn(page);
    const [, ...colours] = await page.evaluate(() => [...new Set(timeline.raster.pixels)]);
    holds("attempts are drawn", colours.length > 0);
  });
}

async function comparison(page) {
  await until(page, () => window.timelines && timelines.length === 2);
  await drawn(page);
  await check("timelines of a comparison move together", async () => {
    await page.focus(".timeline");
    await page.keyboard.press("+");
    holds("one axis", await page.evaluate(() => timelines[0].axis === timelines[1].axis && timelines[0].axis.t1 - timelines[0].axis.t0 < timelines[0].axis.last));
  });
  await check("a job is searched in both", async () => {
    await page.click("#jobs tbody button");
    const job = +await page.inputValue("input[type=search]");
    const counts = await page.evaluate((j) => timelines.map((t) => t.a.job.filter((x) => x === j).length), job);
    same((await note(page)).match(/\d+(?= of)/g).map(Number), counts);
  });
}

// ---- from afar ----

// The mean colours of a canvas in a grid of 24 x 12, which no font and no edge changes much.
const grid = (page, selector) => page.$eval(selector, (canvas) => {
  const c = document.createElement("canvas"), context = c.getContext("2d");
  c.width = 24;
  c.height = 12;
  context.imageSmoothingQuality = "high";
  context.drawImage(canvas, 0, 0, 24, 12);
  return [...context.getImageData(0, 0, 24, 12).data].filter((_, i) => i % 4 !== 3);
});

const kept = fs.existsSync(looksFile) ? JSON.parse(fs.readFileSync(looksFile, "utf8")) : {}, now = {};

// Whether a canvas that nobody has touched looks as it did.
const look = (what, selector) => async (page) => {
  now[what] = await grid(page, selector);
  await check(`${what} looks as it did`, () => {
    if (process.env.UPDATE) return;
    holds("there is a look to compare with", kept[what]);
    const off = now[what].reduce((sum, v, i) => sum + Math.abs(v - kept[what][i]), 0) / now[what].length;
    holds(`it differs by ${off.toFixed(1)} of 255 on average`, off < 12);
    holds("it shows something", Math.max(...now[what]) - Math.min(...now[what]) > 40);
  });
};

async function launch() {
  try {
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium-headless-shell",
      args: ["--disable-dev-shm-usage", ...(process.getuid() ? [] : ["--no-sandbox"])], timeout: 120000 });
    return true;
  } catch (e) {
    console.log(`skip the browser does not start: ${e.message.split("\n")[0]}`);
    return false;
  }
}

(async () => {
  if (!await launch()) return;
  try {
    await inspect("run", look("a timeline", ".timeline"), numbers, use, move, listen("run"));
    await inspect("compare", look("a distribution", ".chart"), comparison, listen("compare"));
    await inspect("figures", listen("figures"));
    await inspect("words", words);
    await inspect("many", many);
    for (const name of ["torn", "empty", "resumed", "hostile"]) await inspect(name);
    await others();
    if (process.env.UPDATE) fs.writeFileSync(looksFile, `${JSON.stringify(now).replaceAll("],", "],\n")}\n`);
  } finally {
    await browser.close();
  }
})().catch((e) => {
  console.error(e.message);
  process.exitCode = 1;
});

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
async function open(name, options, hash = "") {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  context.setDefaultTimeout(120000); // only what hangs ends here
  const page = await context.newPage(), wrong = [], url = `file://${path.join(pages, `${name}.html`)}`;
  page.on("console", (m) => (m.type() === "error" || m.type() === "warning") && !m.text().includes("willReadFrequently") && wrong.push(m.text()));
  page.on("pageerror", (e) => wrong.push(e.message));
  page.on("dialog", (d) => wrong.push(`dialog: ${d.message()}`) && d.dismiss());
  page.on("request", (r) => r.url().split("#")[0] !== url && !r.url().startsWith("data:") && !r.url().startsWith("blob:") && wrong.push(`asks for ${r.url()}`));
  await page.goto(url + hash);
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
  await check("it opens with rows of jobs, and nodes are a click away", async () => {
    same(await page.evaluate(() => [timeline.mode, timeline.view.count]), ["jobs", f.jobs]);
  });
  await check("a click on a job tells of it, and leads to its tasks", async () => {
    const [id, name, tasks, x, y] = await page.evaluate(() => {
      const { job, began, end } = timeline.view.jobs[2], box = timeline.canvas.getBoundingClientRect();
      return [job.id, job.name, job.tasks, box.left + timeline.x((began + end) / 2) / timeline.ratio, box.top + 2.5 * timeline.laneHeight / timeline.ratio];
    });
    await page.mouse.click(x, y);
    same([await page.textContent("#told h2"), await hash(page)], [`Job ${id} (${name})`, `#job=${id}`]);
    await page.click("text=show its tasks");
    same(await page.evaluate(() => [timeline.mode, timeline.view.job, timeline.view.count]), ["tasks", id, tasks]);
    holds("in its time", await page.evaluate(() => timeline.axis.zoomed));
    await page.keyboard.press("Escape");
    await page.click("text=show all");
    await page.click(".choice >> text=nodes");
    same(await page.evaluate(() => [timeline.mode, timeline.view.isHeat]), ["nodes", false]);
  });
  const row = await page.evaluate(() => timeline.a.fate.findIndex((fate, i) => fate === 1 && timeline.run.isExtra(i) && timeline.run.sources(i).length > 0));
  await page.$eval(".timeline", (c) => c.scrollIntoView());
  await drawn(page);
  await check("a click tells of an attempt", async () => {
    await page.evaluate((r) => { timeline.axis.t0 = timeline.a.from[r] - 5; timeline.axis.t1 = timeline.a.to[r] + 5; timeline.axis.changed(); }, row);
    await drawn(page);
    await page.mouse.click(...await middleOf(page, row));
    same(await page.evaluate(() => timeline.selected), row);
    holds("its story is told", /Task \d+ of phase/.test(await page.textContent("#told p")));
    holds("and how to ask for it", (await page.textContent("#told code")).startsWith("dolly explain "));
  });
  await check("its siblings are a click away", async () => {
    await page.click("#told dd button");
    holds("another one", await page.evaluate((r) => timeline.selected !== r && timeline.a.task[timeline.selected] === timeline.a.task[r], row));
  });
  await check("who read from whom", async () => holds("sources end before, readers list it", await page.evaluate((r) =>
    timeline.run.sources(r).every((s) => timeline.a.to[s] <= timeline.a.readTo[r] && timeline.run.readers(s).includes(r)), row)));
  await check("filters leave what they say", async () => {
    await page.click("text=more filters");
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
  await check("a plain wheel scrolls the page", async () => {
    const before = await page.evaluate(() => [scrollY, timeline.axis.t1]);
    await page.mouse.move(...box);
    await page.mouse.wheel(0, 120);
    await until(page, (b) => scrollY !== b, before[0]);
    same(await page.evaluate(() => timeline.axis.t1), before[1]);
    await page.mouse.wheel(0, -120);
    await until(page, (b) => scrollY === b, before[0]);
  });
  await check("with control it zooms, with shift into lanes", async () => {
    const before = await span();
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -200);
    await until(page, (b) => timeline.axis.t1 - timeline.axis.t0 < b * 0.9, before);
    const lane = await page.evaluate(() => timeline.laneHeight);
    await page.keyboard.down("Shift");
    await page.mouse.wheel(0, -200);
    await page.keyboard.up("Shift");
    await page.keyboard.up("Control");
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
  await check("keys go through rows of jobs, and to the tasks of one", async () => {
    await page.click(".choice >> text=jobs");
    await page.focus(".timeline");
    for (const key of ["n", "n", "n", "p"]) await page.keyboard.press(key);
    const { id, name, tasks } = await page.evaluate(() => timeline.view.jobs[1].job);
    same([await page.textContent("#told h2"), await hash(page)], [`Job ${id} (${name})`, `#job=${id}`]);
    await press(page, "#told button:has-text('show its tasks')");
    same(await page.evaluate(() => [timeline.mode, timeline.view.count]), ["tasks", tasks]);
    await page.keyboard.press("Escape");
    same(await page.evaluate(() => timeline.job), null);
    await page.click("text=show all");
    await page.click(".choice >> text=nodes");
  });
}

// ---- rows of tasks ----

// The colour of a point of the picture, in its own pixels.
const colourAt = (page, x, y) => page.evaluate(([px, py]) => [...timeline.canvas.getContext("2d").getImageData(Math.round(px), Math.round(py), 1, 1).data].slice(0, 3), [x, y]);

// Where the winner of a task, its k-th loser, or its ghost has its middle, in pixels of the picture.
const rowOf = (page, line, part, k = 0) => page.evaluate(([l, what, n]) => {
  const t = timeline, { main, losers, race } = t.view.tasks[l], row = what === "loser" ? losers[n] : main, [y, height] = t.view.box(row);
  const from = what === "ghost" ? t.a.to[row] : Math.max(t.a.from[row], t.a.started[row]), to = what === "ghost" ? race.about : t.a.to[row];
  return { row, x: (t.x(from) + t.x(to)) / 2, y: y + height / 2, top: y, left: t.x(from), right: t.x(to) };
}, [line, part, k]);

// The same on the screen.
const onScreen = (page, at) => page.evaluate(({ x, y }) => {
  const box = timeline.canvas.getBoundingClientRect();
  return [box.left + x / timeline.ratio, box.top + y / timeline.ratio];
}, at);

const hash = (page) => page.evaluate(() => location.hash);

async function rows(page) {
  const f = facts("rows"), light = { win: [0, 114, 178], clone: [165, 216, 245], lose: [169, 177, 186], slow: [217, 130, 0] };
  await check("one job opens in rows of its tasks", async () => same(await page.evaluate(() => [timeline.mode, timeline.view.count]), ["tasks", f.tasks]));
  await check("the winner is blue, a clone that won is pale with an edge, who lost is thin and grey, a straggler orange", async () => {
    const first = await rowOf(page, 0, "main"), clone = await rowOf(page, 3, "main"), lost = await rowOf(page, 0, "loser"), slow = await rowOf(page, 3, "loser");
    same(await colourAt(page, first.x, first.y), light.win);
    same(await colourAt(page, clone.x, clone.y), light.clone);
    same(await colourAt(page, clone.x, clone.top + 1), light.win);
    same(await colourAt(page, lost.x, lost.y), light.lose);
    same(await colourAt(page, slow.x, slow.y), light.slow);
  });
  await check("a dashed ghost leads to where the task would have ended alone, with its range", async () => {
    const ghost = await rowOf(page, 3, "ghost"), told = JSON.parse(fs.readFileSync(path.join(pages, "rows-3.json"), "utf8")), race = await page.evaluate(() => timeline.view.tasks[3].race);
    const edge = await page.evaluate(({ left, right, top }) => {
      const { data } = timeline.canvas.getContext("2d").getImageData(Math.round(left) + 2, Math.round(top), Math.round(right - left) - 4, 1);
      return Array.from({ length: data.length / 4 }, (_, i) => data[4 * i + 2] < 200);
    }, ghost);
    holds("dashes and gaps", edge.filter((on) => on).length > edge.length / 4 && edge.filter((on) => !on).length > edge.length / 4);
    same([race.about, race.low, race.high].map((s) => s.toPrecision(3)), [told.alone_about_s, told.alone_low_s, told.alone_high_s].map((s) => s.toPrecision(3)));
    const low = await page.evaluate(() => timeline.x((timeline.view.tasks[3].race.low + timeline.view.tasks[3].race.about) / 2));
    same(await colourAt(page, low, ghost.y), light.slow);
  });
  await check("the legend does not speak of what is not there", async () => same((await legend(page)).filter((text) => /running|failed/.test(text)), []));
  await check("who is not rescued has none", async () => same(await page.evaluate(() => timeline.view.tasks.filter(({ race }) => race).length), 2));
  await check("hovering shows task, node, length and end", async () => {
    await page.mouse.move(...await onScreen(page, await rowOf(page, 3, "main")));
    same(await page.textContent(".tip"), "map 3 (clone 1) on n3, 20 s long, won at 20 s; alone at about 63 s");
    holds("it is seen", await page.isVisible(".tip"));
    await page.mouse.move(5, 5);
    holds("and goes", !await page.isVisible(".tip"));
  });
  await check("a click opens the story beside the picture, and the address names the task", async () => {
    await page.mouse.click(...await onScreen(page, await rowOf(page, 3, "main")));
    same(await page.textContent("#told h2"), "Map 3 rescued by a clone");
    const box = await (await page.$("#told h2")).boundingBox();
    holds(`it is on the screen: ${JSON.stringify(box)}`, box.y > 0 && box.y < 700 && box.x > 600);
    same(await hash(page), "#map/3");
    await page.mouse.click(...await onScreen(page, await rowOf(page, 0, "loser")));
    same(await hash(page), "#map/0");
  });
  await check("back and forward work", async () => {
    await page.goBack();
    same([await hash(page), await page.textContent("#told h2")], ["#map/3", "Map 3 rescued by a clone"]);
    await page.goBack();
    same(await page.evaluate(() => timeline.selected), -1);
    await page.goForward();
    same(await hash(page), "#map/3");
    await page.keyboard.press("Escape");
    same([await hash(page), await page.evaluate(() => timeline.selected)], ["", -1]);
  });
  await check("dragging on the axis selects a span and shows its sums", async () => {
    const axis = await page.evaluate(() => { const b = timeline.canvas.getBoundingClientRect(); return [(s) => s, b.left, b.top, timeline.g / timeline.ratio, timeline.x(10) / timeline.ratio, timeline.x(25) / timeline.ratio, timeline.h / timeline.ratio]; });
    const [, left, top, , x0, x1, h] = axis;
    await page.mouse.move(left + x0, top + h + 8);
    await page.mouse.down();
    await page.mouse.move(left + x1, top + h + 8, { steps: 5 });
    await page.mouse.up();
    const [, from, to] = /^#t=([\d.]+)-([\d.]+)$/.exec(await hash(page)).map(Number);
    holds(`about 10 to 25: ${from} to ${to}`, Math.abs(from - 10) < 0.3 && Math.abs(to - 25) < 0.3);
    const want = await page.evaluate(([f, t]) => {
      const { a } = timeline, inside = [...a.from.keys()].filter((i) => a.from[i] <= t && a.to[i] >= f);
      return [inside.length, inside.filter((i) => a.to[i] <= t).length, 0, inside.reduce((s, i) => s + Math.min(a.to[i], t) - Math.max(a.from[i], f), 0)];
    }, [from, to]);
    const told = await page.$$eval("#told dd", (all) => all.map((d) => parseFloat(d.textContent)));
    same(told.slice(0, 3), want.slice(0, 3));
    holds(`slot-seconds ${told[3]}, ${want[3]}`, Math.abs(told[3] - want[3]) < 0.01 * want[3]);
    await page.keyboard.press("Escape");
    same(await hash(page), "");
  });
  await check("chips leave what they name, and fold the rest", async () => {
    await page.click(".chip >> text=rescued 2");
    same(await page.evaluate(() => timeline.view.tasks.map(({ main }) => timeline.a.number[main])), [3, 7]);
    await page.click("text=show all");
    same(await page.evaluate(() => timeline.view.count), f.tasks);
  });
  await check("phases have the quantiles of their tasks", async () => {
    const times = (phase) => page.evaluate((p) => timeline.view.tasks.filter(({ main }) => timeline.a.phase[main] === p).map(({ main }) => timeline.a.to[main] - timeline.a.from[main]), phase);
    for (const [phase, name] of [[0, "map"], [1, "reduce"]]) {
      const all = (await times(phase)).sort((x, y) => x - y), at = (q) => all[Math.max(0, Math.ceil(q * all.length) - 1)];
      const cells = await page.$$eval("#phases tbody tr", (rows, text) => [...rows.find((r) => r.cells[0].textContent === text).cells].map((c) => c.textContent), `${name}: time of a task`);
      same(cells.slice(1).map(parseFloat), [all.length, ...[0, 0.25, 0.5, 0.75, 1].map((q) => +at(q).toFixed(3)), name === "map" ? 2 : 0, 0]);
    }
    holds("bytes", (await page.textContent("#phases")).includes("map: bytes read"));
  });
  await check("rows are sorted by end if wished", async () => {
    await page.click("text=by end");
    const ends = await page.evaluate(() => timeline.view.tasks.map(({ main }) => timeline.a.to[main]));
    same(ends, [...ends].sort((x, y) => x - y));
    await page.click("text=by number");
  });
  await check("colours are of phases or nodes if wished", async () => {
    await page.click(".choice >> text=phase");
    await drawn(page);
    const maps = await rowOf(page, 0, "main"), reduce = await rowOf(page, 11, "main");
    same([await colourAt(page, maps.x, maps.y), await colourAt(page, reduce.x, reduce.y)], [[31, 119, 180], [255, 127, 14]]);
    await page.click(".choice >> text=outcome");
  });
  await check("? lists the keys, / searches, s goes to a straggler", async () => {
    await page.keyboard.press("?");
    holds("the keys", await page.isVisible("dialog kbd"));
    await page.keyboard.press("Escape");
    holds("closed", !await page.isVisible("dialog"));
    await page.focus(".timeline");
    await page.keyboard.press("s");
    holds("a straggler", await page.evaluate(() => timeline.a.straggled[timeline.selected] === 1));
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("reduce 1");
    same(await page.evaluate(() => timeline.view.tasks.map(({ main }) => timeline.run.taskName(main))), ["reduce 1"]);
    await page.click("text=show all");
  });
}

const { press, keys, fingers, sortByFinger, pinch } = require("./hands.js")({ check, same, holds, until, drawn, hash, onScreen, rowOf });

// What an address names is shown when the page opens.
async function links() {
  for (const [text, want] of [["#reduce/1", { selected: "reduce 1", span: [0, 0] }], ["#t=5-15", { selected: null, span: [5, 15] }], ["#t=15-5", { selected: null, span: [5, 15] }], ["#nosuch/7&t=%", { selected: null, span: [0, 0] }]]) {
    const { page, wrong, close } = await open("rows", {}, text);
    await until(page, () => window.address);
    await check(`an address ${text} is understood`, async () => {
      same(await page.evaluate(() => ({ selected: timeline.selected < 0 ? null : timeline.run.taskName(timeline.selected), span: timeline.axis.chosen || [0, 0] })), want);
      same(wrong, []);
    });
    await close();
  }
}

// What an address names and the page has not is said in one line, until something else is chosen.
async function lacks() {
  for (const [text, want] of [["#map/999", "#map/999: no attempt of a task 999 of map is on this page."], ["#nosuch/1", "#nosuch/1: no phase nosuch is on this page."],
    ["#sort/map/1", "#sort/map/1: no job sort is on this page."], ["#job=12&node=x%20y", "#job=12: no job 12 is on this page. #node=x%20y: no node x y is on this page."],
    ["#nosuch", "#nosuch: nothing on this page has this name."], ["#%", "#%: this cannot be read."], ["#map/3", ""], ["", ""]]) {
    const { page, wrong, close } = await open("rows", {}, text);
    await until(page, () => window.address);
    await check(`an address ${text} that names nothing is said to`, async () => {
      same(await page.textContent(".lack"), want);
      same([await hash(page), await page.isVisible(".lack")], [text, want !== ""]);
      await page.evaluate(() => timeline.tell(0));
      same(await page.textContent(".lack"), "");
      holds("the address is that of the task", !(await hash(page)).includes(text || "&"));
      same(wrong, []);
    });
    await close();
  }
}

// The colours along the later half of the bar of a row, above its label.
const along = (page, row) => page.evaluate((r) => {
  const t = timeline, [y, height] = t.view.box(r), left = t.x((t.a.from[r] + t.a.to[r]) / 2), right = t.x(t.a.to[r]);
  const { data } = t.canvas.getContext("2d").getImageData(Math.ceil(left), Math.round(y + Math.min(3, height / 2)), Math.max(1, Math.floor(right - left) - 4), 1);
  return [...new Set(Array.from({ length: data.length / 4 }, (_, i) => `${data.slice(4 * i, 4 * i + 3)}`))];
}, row);

const legend = (page) => page.$$eval(".legend span", (all) => all.map((s) => s.textContent));

// Attempts of which no end is known are striped, whatever colours mean, in the light and in the dark.
async function halfway(page) {
  const [running, won] = await page.evaluate(() => [RUNS, WON].map((fate) => timeline.a.fate.findIndex((f, i) => f === fate && !timeline.run.isExtra(i))));
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const mode of ["tasks", "nodes"]) {
      await page.click(`.choice >> text=${mode}`);
      await drawn(page);
      await check(`what still runs is striped, and what won is not: ${mode}, ${colorScheme}`, async () => {
        const [win, pale] = await page.evaluate(() => { const t = theme(); return [`${t.win}`, `${mix(t.win, t.back, 0.8)}`]; });
        same([(await along(page, running)).sort(), await along(page, won)], [[win, pale].sort(), [win]]);
        holds("and the legend says so", (await legend(page)).includes("striped: not ended"));
      });
    }
    await page.click(".choice >> text=phase");
    await drawn(page);
    await check(`also where colours are those of phases: ${colorScheme}`, async () => {
      same([(await along(page, running)).length, (await along(page, won)).length], [2, 1]);
      holds("legend", (await legend(page)).includes("striped: not ended"));
    });
    await page.click(".choice >> text=outcome");
  }
  await page.emulateMedia({ colorScheme: "light" });
}

// On a phone the story is a sheet at the bottom.
async function sheet() {
  const { page, close } = await open("rows", { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, colorScheme: "dark", hasTouch: true });
  await until(page, () => window.address);
  await check("on a phone the story is a sheet at the bottom", async () => {
    holds("none at first", !await page.isVisible("#told"));
    await page.$eval(".timeline", (c) => c.scrollIntoView());
    await drawn(page);
    await page.touchscreen.tap(...await onScreen(page, await rowOf(page, 3, "main")));
    const box = await (await page.$("#told")).boundingBox();
    holds(`half of the height at most: ${JSON.stringify(box)}`, box.x === 0 && Math.round(box.width) === 390 && Math.round(box.y + box.height) === 844 && box.height <= 422);
    await page.tap("#told .close");
    await page.$eval(".timeline", (c) => c.scrollIntoView({ block: "end" }));
    await drawn(page);
    await page.touchscreen.tap(...await onScreen(page, await rowOf(page, 10, "main")));
    holds("it does not lie on what was tapped", await page.evaluate(() => {
      const [top, height] = timeline.view.box(timeline.selected), low = timeline.canvas.getBoundingClientRect().top + (top + height) / timeline.ratio;
      return low <= document.getElementById("told").getBoundingClientRect().top;
    }));
    await page.tap("#told .close");
    holds("and closes", !await page.isVisible("#told"));
    same(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  });
  await fingers(page);
  await close();
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
    if (name === "compare") await sortByFinger(phone.page);
    await phone.close();
  }
}

async function words(page) {
  await check("every word of a command is told as it was", async () => {
    const told = await page.evaluate(() => [...timeline.run.stories.values()].join("\n"));
    for (const word of ["задача", "作业", "עבודה", "مهمة", "कार्य", "😀", "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>"])
      holds(word, told.includes(word));
    await page.evaluate(() => timeline.tell(timeline.a.fate.indexOf(4)));
    holds("and shown", (await page.textContent("#told")).includes("fail"));
    same([(await page.textContent("h1")), /^Task 1 failed with exit status 1 after .* on n0$/.test(await page.textContent("#failed h2"))], ["1 of 12 tasks failed", true]);
    holds("nothing turns what stands behind it", await page.evaluate(() => !/[\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent)));
    same(await page.evaluate(() => getComputedStyle(document.querySelector("#origin code")).unicodeBidi), "isolate");
    holds("its row says so", await page.evaluate(() => timeline.run.ending(timeline.a.fate.indexOf(4)) === "exit 1"));
    const [row, x, y] = await page.evaluate(() => { const r = timeline.a.fate.indexOf(4), [top, height] = timeline.view.box(r); return [r, timeline.x(Math.max(timeline.a.started[r], timeline.a.from[r])) + 1, top + height / 2]; });
    await page.evaluate(() => { timeline.tell(-1); timeline.paint(); });
    same([row >= 0, await colourAt(page, x, y)], [true, [192, 37, 45]]);
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
  await check("lanes that have no room are a heat map", async () => {
    await page.click(".choice >> text=nodes");
    await drawn(page);
    same(await page.evaluate(() => [timeline.mode, timeline.view.isHeat]), ["nodes", true]);
    const colours = await page.evaluate(() => new Set(timeline.raster.pixels).size);
    holds(`at most twenty steps and the ground: ${colours}`, colours > 2 && colours <= 21);
  });
  await check("and it can be moved", async () => {
    await page.focus(".timeline");
    for (const key of ["+", "+", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
    await drawn(page);
    const [, ...colours] = await page.evaluate(() => [...new Set(timeline.raster.pixels)]);
    holds("attempts are drawn", colours.length > 0);
  });
}

// Fewer than five jobs: their pictures come first, on one axis.
async function pair(page) {
  await until(page, () => window.timelines && timelines.length === 2);
  await check("two runs of one job show their pictures first", async () => {
    const [picture, bins] = await page.evaluate(() => [timelines[0].canvas, document.getElementById("bins")].map((e) => e.getBoundingClientRect().top));
    holds(`${picture} above ${bins}`, picture > 0 && picture < bins);
    same(await page.evaluate(() => [timelines.map((t) => t.mode), timelines[0].axis === timelines[1].axis]), [["tasks", "tasks"], true]);
  });
  await check("and say who wins", async () => {
    const [, best, share] = /^(\S+): the job ends (\d+) % sooner than with /.exec(await page.textContent("h1"));
    same(best, "rows");
    holds(`${share} %`, +share > 20);
  });
}

async function comparison(page) {
  await until(page, () => window.timelines && timelines.length === 2);
  await drawn(page);
  await check("the terminal's numbers are on the page", async () => {
    const printed = fs.readFileSync(path.join(pages, "compare.txt"), "utf8").split("\n").map((l) => l.split(/\s+/)), labels = ["other", "run"];
    const means = printed.filter((l) => ["late", "dolly"].includes(l[0])), runs = await page.$$eval("#runs tbody tr", (rows) => rows.map((r) => [...r.cells].map((c) => c.textContent)));
    same(runs.map((r) => r.slice(0, 5)), labels.map((label, k) => [label, ...means[k].slice(0, 4)]));
    const bins = await page.$$eval("#bins tbody tr", (rows) => rows.map((r) => [...r.cells].map((c) => c.textContent)));
    same([2, 3].map((column) => bins.map((b) => b[column])), [2, 3].map((k) => means[k].slice(1).filter((n) => n !== "-" && n !== "nan")));
  });
  await check("dumbbells have a sign for each run, where its mean is", async () => {
    const [left, right] = await page.evaluate(() => {
      const { canvas, numbers } = dumbbells, all = numbers.bins.flatMap((b) => b.means), ratio = canvas.width / canvas.clientWidth, x = Chart.scale(all, 176 * ratio, canvas.width - 60 * ratio);
      return numbers.bins[0].means.map((s) => [...canvas.getContext("2d").getImageData(Math.round(x(s)), Math.round(20 * ratio), 1, 1).data].slice(0, 3));
    });
    same(right, [204, 121, 167]);
    holds(`the other is grey or hidden: ${left}`, `${left}` === "127,136,147" || `${left}` === "204,121,167");
  });
  await check("a scatter has a job at both of its times", async () => holds("a point", await page.evaluate(() => {
    const { canvas, jobs } = scatter, at = jobs.find(({ times }) => times[1] < 0.9 * times[0]).times, ratio = canvas.width / canvas.clientWidth, all = jobs.flatMap(({ times }) => times);
    const x = Chart.scale([Math.min(...all), Math.max(...all)], 56 * ratio, canvas.width - 10 * ratio), y = Chart.scale([Math.min(...all), Math.max(...all)], canvas.height - 22 * ratio, 10 * ratio);
    return canvas.getContext("2d").getImageData(Math.round(x(at[0])), Math.round(y(at[1])), 1, 1).data[3] > 0;
  })));
  await check("twenty jobs are in the table, and any column sorts all of them", async () => {
    same(await page.$$eval("#jobs tbody tr", (rows) => rows.length), 20);
    await page.click("#jobs th >> text=other");
    const first = await page.$$eval("#jobs tbody tr", (rows) => rows.map((r) => +r.dataset.job)), want = await page.evaluate(() => [...table.jobs].sort((x, y) => y.times[0] - x.times[0] || x.id - y.id).slice(0, 20).map((j) => j.id));
    same(first, want);
    await press(page, "#jobs th button:has-text('other')");
    same(await page.getAttribute("#jobs th[aria-sort]", "aria-sort"), "ascending");
    same(await page.$$eval("#jobs tbody tr", (rows) => rows.length), 20);
  });
  await check("timelines of a comparison are folded, and move together", async () => {
    holds("folded", !await page.isVisible(".timeline"));
    await page.click("text=Every attempt, on one axis");
    await drawn(page);
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
    await inspect("rows", look("rows of tasks", ".timeline"), rows, keys, listen("rows"));
    await links();
    await lacks();
    await inspect("halfway", halfway, listen("halfway"));
    await sheet();
    await inspect("compare", look("a distribution", ".chart"), comparison, listen("compare"));
    await inspect("figures", listen("figures"));
    await inspect("words", words);
    await inspect("many", many);
    await inspect("pair", pair, listen("pair"));
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

// hands.js - what readers do with a page without a mouse: by keys, and by fingers. For pages.js, which lends its tools.
"use strict";

module.exports = ({ check, same, holds, until, drawn, hash, onScreen, rowOf }) => {

// ---- keys ----

// A button by keyboard.
async function press(page, what) {
  await page.focus(what);
  await page.keyboard.press("Enter");
}

// All of it without a mouse.
async function keys(page) {
  const tasks = () => page.evaluate(() => timeline.view.tasks.map(({ main }) => timeline.a.number[main]));
  await check("by keyboard: an attempt's story, its siblings, and back", async () => {
    await page.focus(".timeline");
    await page.keyboard.press("Enter");
    const first = await page.textContent("#told h2"), where = await hash(page);
    holds(`told: ${first} at ${where}`, first && /^#(map|reduce)\/\d+$/.test(where));
    await press(page, "#told dd button");
    same(await hash(page), where);
    await page.focus(".timeline");
    await page.keyboard.press("s");
    holds("a straggler is another", await hash(page) !== where);
    await page.goBack();
    same([await hash(page), (await page.textContent("#told h2")).split(" ")[0]], [where, first.split(" ")[0]]);
    await press(page, "#told .close");
    same([await hash(page), await page.evaluate(() => timeline.selected)], ["", -1]);
  });
  await check("by keyboard: a span is what is in view, and its sums are those of the mouse", async () => {
    await page.focus(".timeline");
    for (const key of ["+", "+", "ArrowRight", "t"]) await page.keyboard.press(key);
    const [from, to] = await page.evaluate(() => timeline.axis.chosen), want = await page.evaluate(([f, t]) => timeline.sums(f, t), [from, to]);
    const told = await page.$$eval("#told dd", (all) => all.map((d) => parseFloat(d.textContent)));
    same([to > from, told.slice(0, 3)], [true, [want.attempts, want.ended, want.failed]]);
    holds("it is in the address", (await hash(page)).startsWith("#t="));
    await page.focus(".timeline");
    await page.keyboard.press("0");
    await press(page, "#told button:has-text('zoom to it')");
    const near = await page.evaluate(([f, t]) => Math.abs(timeline.axis.t0 - f) + Math.abs(timeline.axis.t1 - t), [from, to]);
    holds("zoomed to it", near < 1e-9);
    await page.keyboard.press("Escape");
    await press(page, "button:has-text('show all')");
  });
  await check("by keyboard: rows, colours, order, chips, search and menus", async () => {
    await press(page, ".choice >> text=nodes");
    same(await page.evaluate(() => timeline.mode), "nodes");
    await press(page, ".choice >> text=tasks");
    await press(page, ".choice >> text=phase");
    same(await page.evaluate(() => timeline.run.by), "phase");
    await press(page, ".choice >> text=outcome");
    await press(page, "text=by end");
    same(await page.evaluate(() => timeline.view.order), "end");
    await press(page, "text=by number");
    await press(page, ".chip >> text=rescued 2");
    same(await tasks(), [3, 7]);
    await press(page, "button:has-text('show all')");
    await page.keyboard.press("/");
    await page.keyboard.type("reduce 2");
    same(await tasks(), [2]);
    await press(page, "button:has-text('show all')");
    await press(page, "text=more filters");
    await page.focus("label:has-text('kind') select");
    await page.keyboard.type("clone");
    same(await page.evaluate(() => [...new Set(timeline.left.map((row) => timeline.run.isExtra(row)))]), [true]);
    await press(page, "button:has-text('show all')");
    await press(page, "text=more filters");
  });
  await check("by keyboard: the list of keys", async () => {
    await page.keyboard.press("?");
    await press(page, "dialog button");
    holds("closed", !await page.isVisible("dialog"));
  });
}

// ---- fingers ----

// One finger, from one place of the picture to another, where it rests: what it pushed does not roll on, as that would
// swallow the next tap.
async function slide(page, from, to) {
  const touch = await page.context().newCDPSession(page), at = (part) => from.map((c, i) => c + part * (to[i] - c));
  for (const [type, part] of [["touchStart", 0], ["touchMove", 0.2], ["touchMove", 0.6], ["touchMove", 1], ["touchMove", 1.001], ["touchMove", 1], ["touchEnd", null]]) {
    await touch.send("Input.dispatchTouchEvent", { type, touchPoints: part === null ? [] : [{ x: at(part)[0], y: at(part)[1], id: 0 }] });
    if (part >= 1) await page.waitForTimeout(150);
  }
  await drawn(page);
}

// All of it by fingers; two of them are in pinch().
async function fingers(page) {
  const place = () => page.$eval(".timeline", (c) => { c.scrollIntoView(); const b = c.getBoundingClientRect(); return { x: b.left, y: b.top, w: b.width, h: timeline.h / timeline.ratio }; });
  const tasks = () => page.evaluate(() => timeline.view.tasks.map(({ main }) => timeline.a.number[main]));
  await check("by finger: dragging on the axis sums up a span", async () => {
    const b = await place(), y = b.y + b.h + 10;
    await slide(page, [b.x + 0.4 * b.w, y], [b.x + 0.8 * b.w, y]);
    const told = await page.$$eval("#told dd", (all) => all.map((d) => parseFloat(d.textContent))), want = await page.evaluate(() => timeline.sums(...timeline.axis.chosen));
    same(told.slice(0, 3), [want.attempts, want.ended, want.failed]);
    holds("it is in the address", (await hash(page)).startsWith("#t="));
    await page.tap("#told button:has-text('zoom to it')");
    holds("and zooms to it", await page.evaluate(() => timeline.axis.zoomed));
    await page.tap("#told .close");
  });
  await check("by finger: what is zoomed is moved, what is not scrolls the page", async () => {
    const b = await place(), before = await page.evaluate(() => timeline.axis.t0), middle = b.y + b.h / 2;
    await slide(page, [b.x + 0.5 * b.w, middle], [b.x + 0.8 * b.w, middle]);
    holds("to the left", await page.evaluate(() => timeline.axis.t0) < before);
    const top = await page.evaluate(() => scrollY);
    await slide(page, [b.x + 0.5 * b.w, middle], [b.x + 0.5 * b.w, middle + 150]);
    await until(page, (t) => scrollY < t, top);
    await page.tap("button:has-text('show all')");
    holds("all of it", !await page.evaluate(() => timeline.axis.zoomed));
  });
  await check("by finger: rows, colours, order, chips, search and siblings", async () => {
    await page.tap(".choice >> text=nodes");
    same(await page.evaluate(() => timeline.mode), "nodes");
    await page.tap(".choice >> text=tasks");
    await page.tap(".choice >> text=phase");
    same(await page.evaluate(() => timeline.run.by), "phase");
    await page.tap(".choice >> text=outcome");
    await page.tap("text=by end");
    same(await page.evaluate(() => timeline.view.order), "end");
    await page.tap("text=by number");
    await page.tap(".chip >> text=rescued 2");
    same(await tasks(), [3, 7]);
    await page.tap("button:has-text('show all')");
    await page.tap("input[type=search]");
    await page.keyboard.type("reduce 2");
    same(await tasks(), [2]);
    await page.tap("button:has-text('show all')");
    await place();
    await drawn(page);
    await page.touchscreen.tap(...await onScreen(page, await rowOf(page, 3, "main")));
    const before = await page.evaluate(() => timeline.selected);
    await page.tap("#told dd button");
    holds("another attempt", await page.evaluate((r) => timeline.selected !== r && timeline.a.task[r] === timeline.a.task[timeline.selected], before));
    same(await hash(page), "#map/3");
    await page.goBack();
    same(await page.evaluate(() => timeline.selected), -1);
  });
}

async function sortByFinger(page) {
  await check("by finger: jobs are sorted, and one is shown alone", async () => {
    await page.tap("#jobs th button >> text=tasks");
    const sizes = await page.$$eval("#jobs tbody tr", (rows) => rows.map((r) => +r.cells[2].textContent));
    same(sizes, [...sizes].sort((x, y) => y - x));
    await page.tap("#jobs tbody button");
    same(await page.inputValue("input[type=search]"), await page.textContent("#jobs tbody button"));
  });
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

return { press, keys, fingers, sortByFinger, pinch };
};

// live.js - looks at a run that is being followed: node tests/web/live.js MODULES DOLLY WHOLE GROWING ADDRESS
//
// GROWING is the journal that `dolly watch` serves at ADDRESS; it gets piece after piece of WHOLE, and after each the page
// must have the numbers of `dolly explain`. Prints `ok WHAT` or `not ok WHAT: WHY` for each check.
"use strict";

const fs = require("fs");
const path = require("path");
const { execFileSync } = require("child_process");
const [modules, dolly, whole, growing] = process.argv.slice(2, 6).map((p) => path.resolve(p)), address = process.argv[6];
const { chromium } = require(path.join(modules, "playwright-core"));
const axe = fs.readFileSync(path.join(modules, "axe-core", "axe.min.js"), "utf8");
const bytes = fs.readFileSync(whole), home = address.split("#")[0];

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

async function until(page, condition, argument) {
  for (let i = 0; !await page.evaluate(condition, argument).catch(() => false); i++) {
    if (i === 2500) throw new Error(`waited in vain for ${condition}`);
    await page.waitForTimeout(20);
  }
}

const asked = (...words) => JSON.parse(execFileSync(dolly, words, { stdio: ["ignore", "pipe", "ignore"] }));
const grow = (share) => fs.appendFileSync(growing, bytes.subarray(fs.statSync(growing).size, Math.floor(bytes.length * share)));
const turnOf = () => asked("top", "--once", "--json", growing).turn;
const reached = (page, turn) => until(page, (t) => document.querySelector("#live p").dataset.turn === `${t}`, turn);

async function open(browser) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 } }), page = await context.newPage(), wrong = [];
  page.on("console", (m) => (m.type() === "error" || m.type() === "warning") && !/willReadFrequently|401/.test(m.text()) && wrong.push(m.text()));
  page.on("pageerror", (e) => wrong.push(e.message));
  page.on("dialog", (d) => wrong.push(`dialog: ${d.message()}`) && d.dismiss());
  page.on("request", (r) => !r.url().startsWith(home) && !/^(data|blob):/.test(r.url()) && wrong.push(`asks for ${r.url()}`));
  await page.goto(address);
  await until(page, () => document.querySelector("#live p") && document.querySelector("canvas"));
  return { context, page, wrong };
}

// The strip and the page below have the numbers of explain, at this turn.
async function equal(page) {
  const turn = turnOf(), told = asked("explain", "--json", growing);
  await reached(page, turn);
  same((await page.textContent("#live p")).match(/\d+ of \d+ tasks done/)[0], `${told.tasks_done} of ${told.tasks} tasks done`);
  await until(page, (t) => live.turn === t && !live.busy, turn);
  same((await page.textContent("#origin")).match(/(\d+) tasks, (\d+) done/).slice(1).map(Number), [told.tasks, told.tasks_done]);
  const launched = Object.values(told.attempts).reduce((sum, kind) => sum + kind.launched, 0) + told.withdrawn;
  same(await page.evaluate(() => timeline.run.data.rows + timeline.run.data.left_out), launched);
}

// The strip at every turn that it shows while the journal grows in small steps, against explain of the journal up to there.
async function everyTurn(page, from, to, steps) {
  const told = new Map(), part = `${growing}.part`;
  await page.evaluate(() => {
    window.strips = [];
    const describe = live.describe;
    live.describe = (sums) => {
      describe.call(live, sums);
      strips.push([sums.turn, live.state.textContent]);
    };
  });
  for (let i = 0; i <= steps; i++) { // what the page has before the first step may be shown again
    grow(from + (to - from) * i / steps);
    fs.copyFileSync(growing, part);
    const run = asked("explain", "--json", part), { turn } = asked("top", "--once", "--json", part);
    told.set(turn, run);
    if (i % 4 === 0) await reached(page, turn); // a busy machine may show few of those between
  }
  await reached(page, turnOf());
  const shown = new Map(await page.evaluate(() => strips));
  for (const [turn, text] of shown) {
    if (!told.has(turn)) throw new Error(`turn ${turn} was shown, and the journal ended at ${[...told.keys()]}`);
    const { tasks_done: done, tasks, tasks_failed: failed } = told.get(turn);
    same([text.match(/\d+ of \d+ tasks done/)[0], (text.match(/(\d+) failed/) || [0, "0"])[1]], [`${done} of ${tasks} tasks done`, `${failed}`]);
    same(text.match(/(\d+) running · (\d+) waiting/).slice(1).reduce((sum, n) => sum + +n, done + failed), tasks);
  }
  if (shown.size < 5) throw new Error(`only ${shown.size} turns were shown`);
}

async function accessible(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], preload: false }));
  same(found.violations.map((v) => `${v.id}: ${v.nodes[0].html}`), []);
}

async function strangers(browser) {
  const context = await browser.newContext(), page = await context.newPage();
  await page.goto(home);
  await check("without the token the page has nothing of the run", async () => {
    same(await page.evaluate(() => !!document.querySelector("main") || /task/.test(document.body.textContent)), false);
  });
  await context.close();
}

// In the browser that has the cookie, a page of another origin asks for the run.
async function otherSite(context) {
  const page = await context.newPage();
  await page.route("http://other.example/", (r) => r.fulfill({ contentType: "text/html", body: "<p>another site</p>" }));
  await page.goto("http://other.example/");
  await check("a page of another site reads nothing", async () => {
    const got = await page.evaluate(async (home) => {
      const tries = ["api/v1/run", "", "metrics"].flatMap((p) => [{}, { mode: "no-cors", credentials: "include" }, { credentials: "include" }]
        .map((o) => fetch(home + p, o).then((r) => r.text(), () => "")));
      return (await Promise.all(tries)).join("");
    }, home);
    same(got, "");
  });
  await page.close();
}

(async () => {
  let browser;
  try {
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium-headless-shell",
      args: ["--disable-dev-shm-usage", ...(process.getuid() ? [] : ["--no-sandbox"])], timeout: 120000 });
  } catch (e) {
    console.log(`skip the browser does not start: ${e.message.split("\n")[0]}`);
    return;
  }
  try {
    await strangers(browser);
    const { context, page, wrong } = await open(browser);
    await check("the token is not in the address any more, and no script sees the cookie", async () => {
      same(await page.evaluate(() => [location.hash, document.cookie]), ["", ""]);
    });
    for (const share of [0.5, 0.6, 0.75]) {
      grow(share);
      await check(`at ${share} of the journal the numbers are those of explain`, () => equal(page));
    }
    await check("at every turn that is shown the numbers are those of explain", () => everyTurn(page, 0.75, 0.78, 30));
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await check(`axe finds nothing in a run that goes on, ${colorScheme}`, () => accessible(page));
    }
    await page.emulateMedia({ colorScheme: "light" });
    await check("why it ends when it does is said", async () => {
      const { ends } = asked("top", "--once", "--json", growing);
      same((await page.textContent("#live .counts")).endsWith(` waiting · ${ends.why}`), true);
    });
    await check("attempts that run are not said to have won", async () => {
      await page.getByRole("button", { name: "nodes", exact: true }).click();
      await until(page, () => /striped: not ended/.test(document.querySelector(".legend").textContent));
    });
    await page.getByRole("button", { name: "phase", exact: true }).click();
    await page.getByRole("searchbox").fill("query");
    await page.evaluate(() => document.activeElement.blur());
    const shown = () => page.evaluate(() => [timeline.mode, timeline.run.by, document.querySelector("input[type=search]").value]);
    await page.evaluate(() => { timeline.tell(0); document.getElementById("slowest").open = true; });
    const chosen = await page.evaluate(() => location.hash);
    grow(0.8);
    await check("what is chosen and unfolded stays so", async () => {
      await equal(page);
      same(await page.evaluate(() => [location.hash, timeline.selected >= 0, document.getElementById("slowest").open]), [chosen, true, true]);
      same(await shown(), ["nodes", "phase", "query"]);
    });
    await check("nothing is left of the pages before", async () => {
      same(await page.evaluate(() => ["dialog", "main", "#live", "#timeline"].map((s) => document.querySelectorAll(s).length)), [1, 1, 1, 1]);
    });
    await otherSite(context);
    if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
    grow(1);
    await check("the end", async () => {
      await equal(page);
      await until(page, () => /^done/.test(document.querySelector("#live p").textContent) && live.source.readyState === EventSource.CLOSED);
    });
    await check("axe finds nothing in a run that is over", async () => {
      await page.evaluate(() => document.querySelectorAll("tbody tr:nth-child(n+6)").forEach((row) => row.remove()));
      await accessible(page);
    });
    await check("nothing else is asked for, and nothing goes wrong", async () => same(wrong, []));
    await context.close();
  } finally {
    await browser.close();
  }
})().catch((e) => {
  console.error(e.message);
  process.exitCode = 1;
});

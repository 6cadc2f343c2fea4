// words.js - texts, elements and colours that all pages share.
"use strict";

// How attempts ended: the numbers of enum attempt_fate.
const FATES = ["not ended", "won", "finished, not needed", "killed", "failed", "lost with its node", "withdrawn"];
const RUNS = 0, WON = 1, FAILED = 4, LOST = 5;
const isBad = (fate) => fate === FAILED || fate === LOST;

const plain = (n, digits) => `${+n.toPrecision(digits)}`;

// A length of time.
function seconds(s) {
  const n = Math.abs(s);
  if (n === 0) return "0 s";
  if (n < 0.001) return `${plain(s * 1e6, 3)} us`;
  if (n < 1) return `${plain(s * 1e3, 3)} ms`;
  if (n < 120) return `${plain(s, 4)} s`;
  if (n < 7200) return `${plain(s / 60, 4)} min`;
  return n < 172800 ? `${plain(s / 3600, 4)} h` : `${plain(s / 86400, 4)} d`;
}

// A guess, with as many digits as its range justifies, and at least two: words_guess of src/ui/words.c.
function guess(s, range) {
  if (!(range > 0)) return seconds(s);
  const minutes = Math.floor(s / 60), least = s < 0.1 ? 3 : s < 1 ? 2 : s < 10 ? 1 : 0;
  if (minutes >= 10) return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  let digits = 3;
  for (let step = 0.01; digits > least && range >= step; step *= 10) digits--;
  return `${s.toFixed(digits)} s`;
}

// A point in time on an axis: 40 s, 3 min 20 s, 2 h 30 min.
function clock(s) {
  if (Math.abs(s) < 60) return seconds(s);
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]], words = [];
  let rest = Math.round(s);
  for (const [size, name] of parts) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n) words.push(`${n} ${name}`);
  }
  return words.slice(0, 2).join(" ");
}

// The step of an axis that has about this many: one that people count in.
function stepOf(span, wanted) {
  const least = span / wanted;
  if (least > 30) {
    const found = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400].find((s) => s >= least);
    if (found) return found;
  }
  const unit = least > 86400 ? 86400 : 1, ten = 10 ** Math.floor(Math.log10(least / unit));
  return unit * ten * [1, 2, 5, 10].find((m) => least <= unit * ten * m * 1.000001);
}

// What listens to the whole window, and ends when a page that is served shows its run anew.
let whole = new AbortController();
const listenToAll = (type, heard) => addEventListener(type, heard, { signal: whole.signal });

function element(name, text, parent) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (parent) parent.append(e);
  return e;
}

// ---- colours ----

const HUES = [[31, 119, 180], [255, 127, 14], [44, 160, 44], [148, 103, 189], [23, 190, 207], [188, 189, 34],
  [227, 119, 194], [140, 86, 75], [57, 106, 177], [107, 76, 154], [62, 150, 81], [204, 153, 0]];
const dark = matchMedia("(prefers-color-scheme: dark)");
const rgb = (c) => `rgb(${c})`;

// What happened to attempts, in the light and in the dark: told apart without colours by height, edge and hatch.
const LIGHT = { win: "#0072b2", clone: "#a5d8f5", lose: "#a9b1ba", slow: "#d98200", fail: "#c0252d", slowText: "#9a5b00" };
const DARK = { win: "#56b4e9", clone: "#124a6b", lose: "#59636e", slow: "#f0a830", fail: "#ff8a80", slowText: "#f0a830" };
const STRIPE = 2, STRIPES_EVERY = 3; // pixels of the screen, of an attempt that runs; and how many stripes wide from one to the next
const FIRST_WON = 0, CLONE_WON = 1, LOST_RACE = 2, SLOW = 3; // and HUES.length colours for others

function theme() {
  const style = getComputedStyle(document.documentElement), own = (name) => style.getPropertyValue(`--${name}`).trim(), c = dark.matches ? DARK : LIGHT;
  return { back: dark.matches ? [13, 17, 23] : [255, 255, 255], far: dark.matches ? [255, 255, 255] : [0, 0, 0],
    text: own("text"), soft: own("soft"), line: own("line"), panel: own("panel"), accent: own("accent"), slowText: c.slowText,
    ...Object.fromEntries(["win", "clone", "lose", "slow", "fail"].map((name) => [name, channels(c[name])])) };
}

const pixel = (c) => (255 << 24 | c[2] << 16 | c[1] << 8 | c[0]) >>> 0;
const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)); // of #rrggbb
const mix = (a, b, share) => a.map((x, i) => Math.round(x * (1 - share) + b[i] * share));

// The colours of attempts by what they are coloured by: "outcome", "phase" or "node".
const huesOf = (t, by) => (by === "outcome" ? [t.win, t.clone, t.lose, t.slow] : HUES);

// For each of them: working, reading, waiting for input, and the lines of patterns.
function palette(t, by) {
  return huesOf(t, by).map((hue) => ({ work: pixel(hue), read: pixel(mix(hue, t.back, 0.35)), wait: pixel(mix(hue, t.back, 0.7)),
    strike: pixel(mix(hue, t.back, 0.8)) }));
}

// The colour of a row.
const colourOf = (t, run, row) => (isBad(run.a.fate[row]) ? t.fail : huesOf(t, run.by)[run.lookOf(row) & LOOK_COLOUR]);

// Runs beside each other: not the colours of phases, and each with a sign and a dash, for those who tell few colours apart.
const RUN_LOOKS = [["#7f8893", "#9aa4af", "circle", []], ["#cc79a7", "#e59bc7", "diamond", [7, 3]], ["#1a7f37", "#3fb950", "square", [2, 3]],
  ["#8c564b", "#c98f83", "up", [9, 3, 2, 3]], ["#17becf", "#39d0e6", "down", [4, 4]], ["#bcbd22", "#d3d455", "cross", [1, 2]]]
  .map(([day, night, sign, dash]) => ({ get colour() { return dark.matches ? night : day; }, sign, dash }));

// The sign of a run, with its middle here.
function signOf(context, { colour, sign }, x, y, size) {
  const ways = { diamond: [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]], square: [[-1, -1], [1, -1], [1, 1], [-1, 1]], up: [[0, -1.2], [1.2, 1], [-1.2, 1]], down: [[0, 1.2], [1.2, -1], [-1.2, -1]],
    cross: [[-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4], [1.2, 0.4], [0.4, 0.4], [0.4, 1.2], [-0.4, 1.2], [-0.4, 0.4], [-1.2, 0.4], [-1.2, -0.4], [-0.4, -0.4]] };
  context.fillStyle = colour;
  context.beginPath();
  if (sign === "circle") context.arc(x, y, 1.1 * size, 0, 2 * Math.PI);
  else for (const [dx, dy] of ways[sign]) context.lineTo(x + dx * size, y + dy * size);
  context.fill();
}

// What the lines and signs of runs look like, in their order.
function runKeys(names) {
  const box = element("div");
  box.className = "legend";
  names.forEach((name, k) => {
    const item = element("span", undefined, box), c = element("canvas", undefined, item), context = c.getContext("2d"), look = RUN_LOOKS[k];
    c.width = 28;
    c.height = 14;
    context.lineWidth = 2;
    context.setLineDash(look.dash);
    const paint = () => {
      context.clearRect(0, 0, 28, 14);
      context.strokeStyle = look.colour;
      context.beginPath();
      context.moveTo(0, 7);
      context.lineTo(28, 7);
      context.stroke();
      signOf(context, look, 14, 7, 4);
    };
    dark.addEventListener("change", paint);
    paint();
    item.append(` ${name}`);
  });
  return box;
}

// What the colours mean, in their order.
function colourKeys(names) {
  const box = element("div");
  box.className = "legend";
  names.forEach((name, k) => {
    const item = element("span", undefined, box), c = element("canvas", undefined, item), context = c.getContext("2d");
    c.width = 28;
    c.height = 14;
    context.fillStyle = rgb(HUES[k % HUES.length]);
    context.fillRect(0, 4, 28, 6);
    item.append(` ${name}`);
  });
  return box;
}

// ---- canvases ----

// As many pixels as the screen has.
function sizeCanvas(canvas, height) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  return { width: canvas.width, height: canvas.height, ratio };
}

// Text that is cut in its middle to what fits.
function shorter(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let kept = text.length - 1;
  const cut = () => `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`;
  while (kept > 1 && context.measureText(cut()).width > width) kept--;
  return kept > 1 ? cut() : "";
}

function fontOf(context, ratio) {
  context.font = `${11 * ratio}px system-ui, sans-serif`;
  context.textBaseline = "top";
}

// Pixels that a page sets itself, for a canvas of its size.
class Raster {
  // All of one colour; only they are new when the size has changed.
  sized(width, height, colour) {
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    return this.pixels.fill(colour);
  }

  put(context) {
    context.putImageData(this.image, 0, 0);
  }
}

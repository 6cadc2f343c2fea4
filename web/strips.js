// strips.js - values over time below a timeline and on its axis, a strip for each.
//
// Every column of pixels shows the mean and the largest value of the spans that it covers. It is set pixel by pixel:
// lines of thousands of steps, smoothed by the browser, take longer than all attempts above them.
"use strict";

const STRIP = 52, CAPTION = 16; // pixels of the screen, a caption's included

class Strips {
  constructor(data, axis, view) {
    this.data = data;
    this.axis = axis;
    this.most = data.series.map((s) => [...s.most, ...(s.limit || [])].reduce((x, y) => Math.max(x, y), 0) || 1);
    this.raster = new Raster();
    this.canvas = element("canvas", undefined, view);
    this.canvas.className = "series";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `Values over time: ${data.series.map((s) => s.name).join(", ")}`);
  }

  draw() {
    if (this.canvas.clientWidth) this.paint(theme());
  }

  paint(t) {
    const { series } = this.data, { width, height, ratio } = sizeCanvas(this.canvas, Math.max(1, series.length) * STRIP);
    const context = this.canvas.getContext("2d", { alpha: false }), line = pixel(channels(t.line));
    this.pixels = this.raster.sized(width, height, pixel(t.back));
    this.width = width;
    this.left = Math.round(this.axis.gutter * ratio);
    this.thick = Math.round(1.5 * ratio);
    const columns = this.columns(width);
    series.forEach((s, k) => {
      const base = Math.round((k + 1) * STRIP * ratio) - 3, room = (STRIP - CAPTION) * ratio;
      const y = (value) => base - Math.round(value / this.most[k] * room);
      this.largest(columns, s.most, y, base, line);
      this.steps(columns, s.mean, y, pixel(HUES[k % HUES.length]));
      if (s.limit) this.steps(columns, s.limit, y, pixel(channels(t.text)), 4 * ratio, 3 * ratio);
      this.pixels.fill(line, base * width, (base + 1) * width);
    });
    this.raster.put(context);
    this.captions(context, t, ratio);
  }

  // For each column of pixels its first span; the one behind the last column has one too.
  columns(width) {
    const { span_s } = this.data, { t0, t1 } = this.axis, each = (t1 - t0) / span_s / (width - this.left), first = t0 / span_s;
    return Int32Array.from({ length: width + 1 }, (_, x) => (x < this.left ? -1 : Math.floor(first + (x - this.left) * each)));
  }

  // Calls it with every column that has spans, and theirs: those that begin in it, or the one it lies in.
  each(columns, count, visit) {
    for (let x = 0; x < this.width && columns[x] < count; x++)
      if (columns[x] >= 0) visit(x, columns[x], Math.min(count, Math.max(columns[x] + 1, columns[x + 1])));
  }

  largest(columns, values, y, base, colour) {
    this.each(columns, values.length, (x, from, to) => {
      let most = 0;
      for (let i = from; i < to; i++) most = Math.max(most, values[i]);
      for (let line = y(most); line < base; line++) this.pixels[line * this.width + x] = colour;
    });
  }

  // A line through the means, dashed if `on` is given.
  steps(columns, values, y, colour, on, off) {
    let before = null;
    this.each(columns, values.length, (x, from, to) => {
      let sum = 0;
      for (let i = from; i < to; i++) sum += values[i];
      const at = y(sum / (to - from)), high = Math.min(at, before ?? at), low = Math.max(at, before ?? at) + this.thick;
      before = at;
      if (on && x % (on + off) >= on) return;
      for (let line = high; line < low; line++) this.pixels[line * this.width + x] = colour;
    });
  }

  captions(context, t, ratio) {
    fontOf(context, ratio);
    context.fillStyle = t.text;
    this.data.series.forEach((s, k) => {
      const largest = s.most.reduce((x, y) => Math.max(x, y), 0), limit = s.limit ? `; dashed: ${s.limit_name}` : "";
      const of = s.of ? ` of ${plain(s.of, 4)}` : "";
      context.fillText(`${s.name}, at most ${plain(largest, 4)}${s.unit}${of}${limit}`, 3 * ratio, (k * STRIP + 2) * ratio);
    });
  }
}

// Values over time, folded below a picture.
function foldStrips(timeline, axis, view) {
  const fold = element("details", undefined, view);
  element("summary", "Values over time", fold);
  fold.className = "strips";
  timeline.strips = new Strips(timeline.run.data, axis, fold);
  fold.addEventListener("toggle", () => timeline.strips.draw());
}

// lanes.js - a lane for each slot of each node; where lanes have fewer than two pixels, how busy each node is.
"use strict";

const HEAT_STEPS = 20;

class Lanes {
  constructor(timeline) {
    this.t = timeline;
    this.a = timeline.a;
    this.lanes = timeline.run.lanes;
    this.natural = 20;
    this.least = 0;
  }

  get count() {
    return this.lanes.count;
  }

  get last() {
    return this.t.run.data.last_s;
  }

  line(row) {
    return this.lanes.lane[row];
  }

  get isHeat() {
    return this.t.laneHeight < 2 * this.t.ratio;
  }

  paint(pixels, t) {
    if (this.isHeat) this.heat(pixels, t);
    else this.rows(pixels, t);
    this.above(pixels, t);
  }

  // Lane by lane. What is narrower than a pixel is drawn once for each pixel, and rows that end before the next pixel
  // are jumped over: the work is bounded by the pixels and not by the attempts.
  rows(pixels, t) {
    const { lanes } = this, { w, h, g, laneHeight, shown, filtered } = this.t, { t0, t1 } = this.t.axis;
    const colours = palette(t, this.t.run.by), fail = pixel(t.fail), grey = pixel(mix(t.back, t.far, 0.12));
    const top = Math.max(0, Math.floor(this.t.top)), below = Math.min(lanes.count, Math.ceil(this.t.top + h / laneHeight));
    const gap = laneHeight >= 4 ? 1 : 0, scale = (w - g) / (t1 - t0);
    for (let lane = top; lane < below; lane++) {
      const y0 = Math.max(0, Math.floor((lane - this.t.top) * laneHeight)), end = lanes.start[lane + 1];
      const y1 = Math.min(h, Math.max(y0 + 1, Math.floor((lane + 1 - this.t.top) * laneHeight) - gap));
      let drawn = g; // pixels of the line
      for (let i = this.firstAfter(lane, t0); i < end && lanes.from[i] <= t1; i++) {
        const x1 = Math.min(w, g + Math.floor((lanes.to[i] - t0) * scale)), x0 = Math.max(drawn, g + Math.floor((lanes.from[i] - t0) * scale));
        if (x1 < drawn) {
          i = this.jump(i, end, t0 + (drawn - g) / scale) - 1;
          continue;
        }
        if (x0 >= w) break;
        drawn = Math.max(x0 + 1, x1);
        const look = lanes.look[i], c = colours[look & LOOK_COLOUR];
        if (filtered && !shown[lanes.rows[i]]) this.rect(pixels, x0, drawn, y0, y1, grey);
        else if (look & LOOK_FAILED) this.rect(pixels, x0, drawn, y0, y1, fail);
        else if (drawn - x0 < 3) this.rect(pixels, x0, drawn, y0, y1, c.work);
        else this.attempt(pixels, lanes.rows[i], look, c, x0, drawn, y0, y1);
      }
    }
  }

  // The first row from here on that ends no earlier: mostly a near one.
  jump(from, end, time) {
    const { to } = this.lanes;
    let step = 1, low = from;
    while (low + step < end && to[low + step] < time) {
      low += step;
      step *= 2;
    }
    let high = Math.min(end, low + step);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (to[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The first row of a lane that ends no earlier, by bisection.
  firstAfter(lane, time) {
    return this.jump(this.lanes.start[lane], this.lanes.start[lane + 1], time);
  }

  attempt(pixels, row, look, c, x0, x1, y0, y1) {
    const a = this.a, clamp = (time) => Math.max(x0, Math.min(x1, Math.floor(this.t.x(time))));
    let at = x0;
    if (a.started[row] >= 0) {
      this.rect(pixels, at, clamp(a.started[row]), y0, y1, c.wait);
      at = clamp(a.started[row]);
      if (a.readFrom[row] >= 0) {
        this.rect(pixels, at, clamp(a.readFrom[row]), y0, y1, c.wait);
        at = clamp(a.readFrom[row]);
        const read = clamp(a.readTo[row] < 0 ? a.to[row] : a.readTo[row]);
        this.rect(pixels, at, read, y0, y1, c.read);
        at = Math.max(at, read);
      }
      this.rect(pixels, at, Math.max(at, x1), y0, y1, c.work);
    } else {
      this.rect(pixels, x0, x1, y0, y1, c.wait);
    }
    if (look & LOOK_RUNS) this.stripes(pixels, x0, x1, y0, y1, c.strike);
    if (look & (LOOK_EXTRA | LOOK_LOST)) this.pattern(pixels, x0, x1, y0, y1, c.strike, look & LOOK_EXTRA, look & LOOK_LOST);
  }

  rect(pixels, x0, x1, y0, y1, colour) {
    for (let y = y0; y < y1; y++) {
      const at = y * this.t.w, end = at + x1;
      if (x1 - x0 > 16) pixels.fill(colour, at + x0, end);
      else for (let x = at + x0; x < end; x++) pixels[x] = colour;
    }
  }

  // Hatched: an extra attempt. Crossed: one that did not win.
  pattern(pixels, x0, x1, y0, y1, colour, hatched, crossed) {
    const step = Math.round(6 * this.t.ratio);
    for (let y = y0; y < y1; y++)
      for (let x = x0; x < x1; x++)
        if ((hatched && (x + y) % step === 0) || (crossed && (x - y + 100 * step) % step === 0)) pixels[y * this.t.w + x] = colour;
  }

  // Upright stripes: it runs.
  stripes(pixels, x0, x1, y0, y1, colour) {
    const wide = Math.round(STRIPE * this.t.ratio);
    for (let x = x0; x < x1; x++) if (Math.floor(x / wide) % STRIPES_EVERY) this.rect(pixels, x, x + 1, y0, y1, colour);
  }

  // Failures, and what a filter has left, are seen however short they were and even where lanes have no room, as long as
  // they are few.
  above(pixels, t) {
    const { w, h, g, laneHeight, axis, run } = this.t, { a } = this, gap = laneHeight >= 4 ? 1 : 0, least = Math.ceil(2 * this.t.ratio);
    const colours = palette(t, run.by), fail = pixel(t.fail);
    for (const row of this.t.filtered ? this.t.left : this.t.failed) {
      const y = this.t.y(row);
      if (y <= -laneHeight || y >= h || a.to[row] < axis.t0 || a.from[row] > axis.t1) continue;
      const x0 = Math.min(w - 1, Math.max(g, Math.floor(this.t.x(a.from[row])))), x1 = Math.min(w, Math.max(x0 + 1, Math.floor(this.t.x(a.to[row]))));
      const y0 = Math.max(0, Math.floor(y)), y1 = Math.min(h, Math.max(y0 + 1, Math.floor(y + laneHeight) - gap));
      const look = run.lookOf(row);
      if (look & LOOK_FAILED) this.rect(pixels, x0, Math.min(w, Math.max(x0 + least, x1)), y0, Math.min(h, Math.max(y1, y0 + least)), fail);
      else if (this.isHeat || x1 - x0 < 3) this.rect(pixels, x0, x1, y0, y1, colours[look & LOOK_COLOUR].work);
    }
  }

  // ---- how busy nodes are ----

  // Nodes below each other, those that share a line of pixels together: the share of their slots that is busy, in steps of one hue.
  heat(pixels, t) {
    const { lanes } = this, { h, w, laneHeight, top } = this.t, busy = new Float64Array(w + 1), whole = new Int32Array(w + 2);
    const colours = Uint32Array.from({ length: HEAT_STEPS + 1 }, (_, k) => pixel(mix(t.back, t.win, k ? 0.08 + 0.92 * k / HEAT_STEPS : 0)));
    let line = -1, below = -1, slots = 0;
    const flush = () => {
      if (slots) this.heatLine(pixels, busy, whole, slots, colours, line, below);
      slots = 0;
    };
    for (let node = 0; node + 1 < lanes.first.length; node++) {
      const y0 = Math.floor((lanes.first[node] - top) * laneHeight), y1 = Math.floor((lanes.first[node + 1] - top) * laneHeight);
      if (lanes.first[node] === lanes.first[node + 1] || y1 < 0 || y0 >= h) continue;
      if (Math.max(0, y0) !== line) flush();
      line = Math.max(0, y0);
      below = Math.min(h, Math.max(line + 1, y1));
      slots += lanes.first[node + 1] - lanes.first[node];
      this.fill(lanes.first[node], lanes.first[node + 1], busy, whole);
    }
    flush();
  }

  // Adds what each pixel of lanes is covered by. All attempts in view are visited in every frame: nothing is looked up twice.
  fill(first, last, busy, whole) {
    const { start, from, to, rows } = this.lanes, { w, g, shown, filtered } = this.t, { t0, t1 } = this.t.axis, scale = (w - g) / (t1 - t0), base = g - t0 * scale;
    for (let lane = first; lane < last; lane++) {
      const end = start[lane + 1];
      for (let i = from[start[lane]] >= t0 ? start[lane] : this.firstAfter(lane, t0); i < end; i++) {
        const begin = from[i];
        if (begin > t1) break;
        if (filtered && !shown[rows[i]]) continue;
        const p = begin < t0 ? g : base + begin * scale, q = to[i] > t1 ? w : base + to[i] * scale, x0 = p | 0, x1 = q | 0;
        if (x0 === x1) {
          busy[x0] += q - p;
        } else {
          busy[x0] += x0 + 1 - p;
          busy[x1] += q - x1;
          whole[x0 + 1]++;
          whole[x1]--;
        }
      }
    }
  }

  // A line of pixels from what was added, which is taken away, and copies of it below. Where nothing begins or ends, the
  // colour stays.
  heatLine(pixels, busy, whole, slots, colours, y0, y1) {
    const { w, g } = this.t, gap = y1 - y0 >= 4 ? 1 : 0, scale = HEAT_STEPS / slots, at = y0 * w;
    let full = 0, colour = colours[0], stays = false;
    for (let x = g; x < w; x++) {
      const part = busy[x], change = whole[x];
      if (part !== 0 || change !== 0 || !stays) {
        full += change;
        const level = ((part + full) * scale + 0.9999) | 0;
        colour = colours[level > HEAT_STEPS ? HEAT_STEPS : level];
        stays = part === 0;
        busy[x] = 0;
        whole[x] = 0;
      }
      pixels[at + x] = colour;
    }
    busy[w] = whole[w] = 0;
    for (let y = y0 + 1; y < y1 - gap; y++) pixels.copyWithin(y * w + g, at + g, at + w);
  }

  // ---- words ----

  draw(context, t) {
    const { ratio, laneHeight, h, w, g, top } = this.t, size = 11 * ratio;
    let last = -Infinity;
    fontOf(context, ratio);
    this.t.run.data.nodes.forEach((node, i) => {
      const y = (this.lanes.first[i] - top) * laneHeight;
      if (!node.lanes || y < -node.lanes * laneHeight || y > h || Math.max(y, 0) - last < size * 1.3) return;
      last = Math.max(y, 0);
      if (!this.isHeat) {
        context.fillStyle = t.line;
        context.fillRect(0, Math.round(y), w, 1);
      }
      context.fillStyle = t.text;
      context.fillText(shorter(context, node.name, g - 8 * ratio), 3 * ratio, last + 2);
    });
    if (!this.isHeat) this.labels(context);
  }

  // Where there is room, what an attempt is of.
  labels(context) {
    const { a, lanes } = this, { axis, ratio, laneHeight, top, h, g, w, run, shown } = this.t, wide = 46 * ratio;
    if (laneHeight < 11 * ratio * 1.25) return;
    const first = Math.max(0, Math.floor(top)), below = Math.min(lanes.count, Math.ceil(top + h / laneHeight));
    context.textBaseline = "middle";
    for (let lane = first; lane < below; lane++)
      for (let i = this.firstAfter(lane, axis.t0); i < lanes.start[lane + 1] && lanes.from[i] <= axis.t1; i++) {
        const row = lanes.rows[i], left = Math.max(g, this.t.x(lanes.from[i])) + 4 * ratio, x1 = Math.min(w, this.t.x(lanes.to[i]));
        if (x1 - left < wide || !shown[row]) continue;
        const text = run.attemptName(row), y = (lane - top + 0.5) * laneHeight;
        if (context.measureText(text).width > x1 - left) continue;
        const pale = !dark.matches && (run.isPale(row) || a.started[row] < 0 || left < this.t.x(Math.max(a.started[row], a.readTo[row])));
        context.strokeStyle = pale ? "rgba(255, 255, 255, 0.75)" : "rgba(0, 0, 0, 0.55)";
        context.lineWidth = 2.5 * ratio;
        context.strokeText(text, left, y);
        context.fillStyle = pale ? "#111" : "#fff";
        context.fillText(text, left, y);
      }
    context.textBaseline = "top";
  }

  // The attempt at this line and time, or -1.
  at(line, time, near) {
    const { lanes } = this, lane = Math.floor(line);
    if (lane < 0 || lane >= lanes.count) return -1;
    let best = -1, gap = near;
    for (let i = this.firstAfter(lane, time - near); i < lanes.start[lane + 1] && lanes.from[i] <= time + near; i++) {
      const row = lanes.rows[i], off = Math.max(lanes.from[i] - time, time - lanes.to[i], 0);
      if (this.t.shown[row] && off <= gap) {
        best = row;
        gap = off;
      }
    }
    return best;
  }

  box(row) {
    return [this.t.y(row), Math.max(3, this.t.laneHeight)];
  }
}

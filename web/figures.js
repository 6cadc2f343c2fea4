// figures.js - the figures of papers: ours as bars or lines, what was published as diamonds.
"use strict";

class Figure {
  constructor(figure, view) {
    this.figure = figure;
    this.series = [...new Set(figure.points.map((p) => p.series))];
    this.places = [...new Set(figure.points.map((p) => p.x))];
    this.canvas = element("canvas");
    this.canvas.className = "chart";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${figure.title}; the numbers are below.`);
    view.querySelector("h3").after(this.canvas);
    this.canvas.after(colourKeys(this.series));
    addEventListener("resize", () => this.paint());
    dark.addEventListener("change", () => this.paint());
    this.paint();
  }

  // What is on the y axis: a step that people count in, from 0 or the lowest value to the highest.
  range() {
    const values = this.figure.points.flatMap((p) => [p.ours, p.paper, p.lo, p.hi]).filter((v) => v !== null);
    const low = Math.min(0, ...values), high = Math.max(0, ...values), span = high - low || 1;
    const ten = 10 ** Math.floor(Math.log10(span / 5)), step = ten * [1, 2, 5, 10].find((m) => span / 5 <= ten * m * 1.000001);
    return { low: Math.floor(low / step) * step, high: Math.ceil((high * 1.02) / step) * step || step, step };
  }

  paint() {
    const { width, height, ratio } = sizeCanvas(this.canvas, 260), context = this.canvas.getContext("2d"), t = theme();
    const { low, high, step } = this.range(), left = 52 * ratio, top = 22 * ratio, bottom = height - 38 * ratio;
    const y = (v) => bottom - (v - low) / (high - low) * (bottom - top);
    context.clearRect(0, 0, width, height);
    fontOf(context, ratio);
    for (let k = Math.round(low / step); k * step <= high + step / 2; k++) {
      context.fillStyle = k ? t.line : t.soft;
      context.fillRect(left, y(k * step), width - left, 1);
      context.fillStyle = t.soft;
      context.fillText(plain(k * step, 6), 3 * ratio, y(k * step) - 6 * ratio);
    }
    context.fillStyle = t.soft;
    context.fillText(this.figure.y_label, 3 * ratio, 3 * ratio);
    context.fillText(this.figure.x_label, left, height - 16 * ratio);
    if (this.figure.kind === "lines") this.lines(context, t, left, width, bottom, y, ratio);
    else this.bars(context, t, left, width, bottom, y, ratio);
  }

  // A diamond where the paper has its number, and the interval of ours.
  marks(context, t, p, x, y, ratio) {
    context.strokeStyle = t.text;
    context.lineWidth = 1.5 * ratio;
    if (p.lo !== null && p.hi !== null && p.lo !== p.hi) {
      context.beginPath();
      context.moveTo(x, y(p.lo));
      context.lineTo(x, y(p.hi));
      context.stroke();
    }
    if (p.paper === null) return;
    const size = 5 * ratio, at = y(p.paper);
    context.beginPath();
    for (const [dx, dy] of [[0, -size], [size, 0], [0, size], [-size, 0]]) context.lineTo(x + dx, at + dy);
    context.closePath();
    context.fillStyle = rgb(t.back);
    context.fill();
    context.stroke();
  }

  bars(context, t, left, width, bottom, y, ratio) {
    const each = (width - left) / this.places.length, bar = each * 0.8 / this.series.length;
    const x = (p) => left + this.places.indexOf(p.x) * each + each * 0.1 + this.series.indexOf(p.series) * bar;
    for (const p of this.figure.points) {
      if (p.ours === null) continue;
      context.fillStyle = rgb(HUES[this.series.indexOf(p.series) % HUES.length]);
      context.fillRect(x(p), Math.min(y(p.ours), y(0)), bar * 0.94, Math.abs(y(p.ours) - y(0)));
    }
    for (const p of this.figure.points) this.marks(context, t, p, x(p) + bar / 2, y, ratio);
    context.fillStyle = t.text;
    context.textAlign = "center";
    this.places.forEach((name, i) => context.fillText(name, left + (i + 0.5) * each, bottom + 5 * ratio, each - 4));
    context.textAlign = "left";
  }

  lines(context, t, left, width, bottom, y, ratio) {
    const numbers = this.places.map(Number), low = Math.min(...numbers), high = Math.max(...numbers), inner = left + 14 * ratio;
    const x = (p) => inner + (Number(p.x) - low) / (high - low || 1) * (width - inner - 24 * ratio);
    this.series.forEach((name, k) => {
      const points = this.figure.points.filter((p) => p.series === name).sort((p, q) => p.x - q.x);
      context.strokeStyle = rgb(HUES[k % HUES.length]);
      context.lineWidth = 2 * ratio;
      context.beginPath();
      for (const p of points) if (p.ours !== null) context.lineTo(x(p), y(p.ours));
      context.stroke();
      for (const p of points) this.marks(context, t, p, x(p), y, ratio);
    });
    context.fillStyle = t.text;
    let last = -Infinity;
    for (const name of [...this.places].sort((p, q) => p - q)) {
      const at = x({ x: name });
      if (at - last > 30 * ratio) context.fillText(name, at - 4 * ratio, bottom + 5 * ratio);
      last = at - last > 30 * ratio ? at : last;
    }
  }
}

for (const paper of JSON.parse(document.getElementById("papers").textContent))
  for (const figure of paper.figures)
    for (const view of document.querySelectorAll("section.figure"))
      if (view.dataset.paper === paper.paper && view.dataset.figure === figure.id) new Figure(figure, view);

// live.js - keeps a served page up to date: a strip of numbers from the stream, and now and then the page itself.
"use strict";

class Live {
  constructor() {
    const strip = element("section");
    strip.id = "live";
    strip.setAttribute("aria-label", "now");
    document.body.prepend(strip);
    this.state = element("p", "connecting ...", strip);
    this.state.setAttribute("role", "status");
    const parts = element("div", undefined, strip);
    parts.className = "parts";
    this.phases = element("div", undefined, parts);
    this.phases.className = "phases";
    this.table = element("table", undefined, parts);
    this.turn = -1; // of the page
    this.of = ""; // the state of the run that it shows
    this.shown_ms = performance.now();
    this.period_ms = 2000;
    this.connect();
  }

  connect() {
    this.source = new EventSource("api/v1/events?only=sums");
    for (const name of ["hello", "sums", "bye"]) this.source.addEventListener(name, (e) => this.take(JSON.parse(e.data), name === "bye"));
    this.source.addEventListener("reset", () => location.reload());
    this.source.addEventListener("error", () => { this.state.textContent = "not connected"; });
  }

  take(sums, over) {
    this.sums = sums;
    this.period_ms = 1000 * sums.page_s;
    this.describe(sums);
    this.drawPhases(sums.phases);
    this.drawAttempts(sums.running);
    if (over) {
      this.source.close();
      this.finish();
    } else if (this.isOld() && performance.now() - this.shown_ms > this.period_ms) this.refresh();
  }

  // A run that is killed takes no more turns, and its page has another headline.
  isOld() {
    return this.turn !== this.sums.turn || this.of !== this.sums.state;
  }

  // The last page is that of the last turn, whatever its reader is at.
  async finish() {
    while (this.isOld()) {
      await this.refresh();
      await new Promise((done) => setTimeout(done, 500));
    }
  }

  // The result so far is the headline, as on the page of a run that is over.
  describe({ state, tasks, now_s, ends }) {
    const words = [`${state}, ${plain(now_s, 4)} s`, `${tasks.done} of ${tasks.total} tasks done`], goes = state === "running" || state === "silent";
    if (tasks.failed) words.push(`${tasks.failed} failed`);
    words.push(`${tasks.running} running`, `${tasks.waiting} waiting`);
    this.state.replaceChildren();
    const result = state === "reading" ? "the journal is being read" : goes ? `${Math.floor(100 * tasks.done / Math.max(1, tasks.total))} % done${this.ending(ends, now_s)}` : `${state} after ${seconds(now_s)}`;
    element("strong", result.replaceAll(/(\d) /g, "$1\u00a0"), this.state);
    if (goes && ends.about_s !== null && ends.low_s < ends.high_s) element("span", ` (${this.left(ends, ends.low_s, now_s)} to ${this.left(ends, ends.high_s, now_s)})`, this.state).className = "range";
    element("br", undefined, this.state);
    if (goes && ends.why) words.push(ends.why);
    element("span", words.join(" · "), this.state).className = "counts";
    this.state.dataset.turn = this.sums.turn;
    this.state.className = tasks.failed ? "bad" : "";
    document.title = `${tasks.done}/${tasks.total} ${state}`;
  }

  ending(ends, now_s) {
    return ends.about_s === null ? "" : `, ends in about ${this.left(ends, ends.about_s, now_s)}`;
  }

  left({ low_s, high_s }, end_s, now_s) {
    const left_s = Math.max(0, end_s - now_s);
    return guess(left_s, Math.max(high_s - low_s, left_s / 10));
  }

  drawPhases(phases) {
    this.phases.replaceChildren(...phases.slice(0, 20).map((p) => {
      const label = element("label"), bar = element("progress");
      element("span", p.phase, label);
      label.append(bar);
      element("span", `${p.done} of ${p.tasks}`, label);
      bar.max = p.tasks || 1;
      bar.value = p.done;
      return label;
    }));
  }

  // A column in which no attempt has anything is left out.
  drawAttempts(attempts) {
    const notes = (a) => [a.slow ? "slow" : "", a.kind === "first" ? "" : a.kind, a.copies ? `${a.copies} more` : ""].filter((w) => w).join(", ");
    const columns = [["running longest", (a) => `${a.phase}/${a.task}`], ["node", (a) => a.node], ["age", (a) => `${plain(a.age_s, 3)} s`],
      ["done", (a) => (a.done === null ? "" : `${Math.round(100 * a.done)} %`)], ["notes", notes]].filter(([, text]) => attempts.some(text));
    this.table.hidden = !attempts.length;
    this.table.replaceChildren();
    const head = element("tr", undefined, element("thead", undefined, this.table)), body = element("tbody", undefined, this.table);
    for (const [name] of columns) element("th", name, head).scope = "col";
    for (const a of attempts) {
      const row = element("tr", undefined, body);
      if (a.slow) row.className = "slow";
      for (const [name, text] of columns) element("td", text(a), row).className = name === "age" || name === "done" ? "n" : "";
    }
  }

  // The page anew, unless its reader is in the middle of something. What is chosen stands in the address.
  async refresh() {
    const typing = document.activeElement && document.activeElement.matches("input, select, textarea");
    if (this.busy || typing || document.querySelector("dialog[open]")) return;
    this.busy = true;
    const { state } = this.sums;
    try {
      const answer = await fetch(".");
      if (answer.status === 401) location.reload();
      if (answer.ok) {
        await this.replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
        this.turn = +answer.headers.get("Dolly-Turn");
        this.of = state;
      }
    } catch { // the server is gone: the stream says so
    }
    this.shown_ms = performance.now();
    this.busy = false;
  }

  async replace(page) {
    const main = document.querySelector("main"), open = new Set([...main.querySelectorAll("details[open][id]")].map((d) => d.id));
    const chosen = window.address && address.filters.chosen, focus = document.activeElement && document.activeElement.id, top = scrollY;
    whole.abort();
    whole = new AbortController();
    document.querySelectorAll("dialog").forEach((d) => d.remove());
    main.style.minHeight = `${main.offsetHeight}px`;
    main.replaceChildren(...page.querySelector("main").childNodes);
    for (const d of main.querySelectorAll("details[id]")) d.open = d.open || open.has(d.id);
    await showRun();
    if (chosen) address.filters.choose(chosen);
    main.style.minHeight = "";
    if (focus && document.getElementById(focus)) document.getElementById(focus).focus({ preventScroll: true });
    scrollTo(scrollX, top);
    document.dispatchEvent(new Event("refreshed"));
  }
}

window.live = new Live();

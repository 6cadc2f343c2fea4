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
    this.phases = element("div", undefined, strip);
    this.phases.className = "phases";
    this.table = element("table", undefined, strip);
    this.turn = -1; // of the page
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
    } else if (sums.turn !== this.turn && performance.now() - this.shown_ms > this.period_ms) this.refresh();
  }

  // The last page is that of the last turn, whatever its reader is at.
  async finish() {
    while (this.turn !== this.sums.turn) {
      await this.refresh();
      await new Promise((done) => setTimeout(done, 500));
    }
  }

  describe({ state, tasks, now_s, ends }) {
    const words = [`${state}, ${plain(now_s, 4)} s`, `${tasks.done} of ${tasks.total} tasks done`];
    if (tasks.failed) words.push(`${tasks.failed} failed`);
    words.push(`${tasks.running} running`, `${tasks.waiting} waiting`);
    if (ends.about_s !== null) words.push(`ends in about ${plain(Math.max(0, ends.about_s - now_s), 2)} s`);
    this.state.textContent = words.join(" · ");
    this.state.dataset.turn = this.sums.turn;
    this.state.className = tasks.failed ? "bad" : "";
    document.title = `${tasks.done}/${tasks.total} ${state}`;
  }

  drawPhases(phases) {
    this.phases.replaceChildren(...phases.slice(0, 20).map((p) => {
      const label = element("label", `${p.phase} ${p.done} of ${p.tasks} `), bar = element("progress", undefined, label);
      bar.max = p.tasks || 1;
      bar.value = p.done;
      return label;
    }));
  }

  drawAttempts(attempts) {
    const rows = attempts.map((a) => [`${a.phase}/${a.task}`, a.node, `${plain(a.age_s, 3)} s`, a.done === null ? "" : `${Math.round(100 * a.done)} %`,
      [a.slow ? "slow" : "", a.kind === "first" ? "" : a.kind, a.copies ? `${a.copies} more` : ""].filter((w) => w).join(", ")]);
    this.table.hidden = !rows.length;
    this.table.replaceChildren();
    const head = element("tr", undefined, element("thead", undefined, this.table)), body = element("tbody", undefined, this.table);
    for (const name of ["running longest", "node", "age", "done", "notes"]) element("th", name, head).scope = "col";
    rows.forEach((cells, i) => {
      const row = element("tr", undefined, body);
      if (attempts[i].slow) row.className = "slow";
      for (const text of cells) element("td", text, row);
    });
  }

  // The page anew, unless its reader is in the middle of something. What is chosen stands in the address.
  async refresh() {
    const typing = document.activeElement && document.activeElement.matches("input, select, textarea");
    if (this.busy || typing || document.querySelector("dialog[open]")) return;
    this.busy = true;
    try {
      const answer = await fetch(".");
      if (answer.status === 401) location.reload();
      if (answer.ok) {
        await this.replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
        this.turn = +answer.headers.get("Dolly-Turn");
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

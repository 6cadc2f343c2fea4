// run.js - a run as the page carries it: JSON, and columns of attempts, deflated and in base64.
"use strict";

// How a row looks: the number of its colour, and these.
const LOOK_COLOUR = 15, LOOK_EXTRA = 16, LOOK_LOST = 32, LOOK_FAILED = 64, LOOK_RUNS = 128;

// How well the end of a task without its winner is known: the numbers of enum story_alone, and a bit.
const ALONE_KNOWN = 1, ALONE_PACE = 2, ALONE_RESCUED = 16;

async function inflate(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const carried = (name, i) => document.getElementById(`${name}-${i}`).textContent;

class Run {
  static async load(i) {
    const [columns, stories] = await Promise.all([inflate(carried("columns", i)), inflate(carried("stories", i))]);
    return new Run(JSON.parse(carried("data", i)), columns, JSON.parse(new TextDecoder().decode(stories)));
  }

  constructor(data, bytes, stories) {
    this.data = data;
    this.by = "outcome"; // what colours mean
    this.a = this.attemptsOf(bytes);
    this.lanes = this.lanesOf();
    for (const j of data.jobs) {
      j.phases ??= data.shapes[j.shape];
      j.end ??= "done";
    }
    this.jobs = new Map(data.jobs.map((j) => [j.id, j]));
    this.stories = new Map(stories.map(([job, phase, task, text]) => [`${job}/${phase}/${task}`, text]));
  }

  // A column as an array of plain numbers: the lowest bytes of all of them come first.
  column(bytes, c) {
    const n = this.data.rows, numbers = new (c.size === 4 ? Uint32Array : c.size === 2 ? Uint16Array : Uint8Array)(n);
    for (let b = 0, at = c.from; b < c.size; b++) for (let i = 0; i < n; i++) numbers[i] |= bytes[at++] << (8 * b);
    return numbers;
  }

  // Attempts: times in seconds; a time that never came is -1, or that of the end.
  attemptsOf(bytes) {
    const unit = this.data.unit_us / 1e6, n = this.data.rows, raw = {};
    for (const c of this.data.columns) raw[c.name] = this.column(bytes, c);
    const a = { ...raw, count: n, from: new Float64Array(n), started: new Float64Array(n), readFrom: new Float64Array(n),
      readTo: new Float64Array(n), to: new Float64Array(n), number: raw.number || raw.task };
    let at = 0;
    for (let i = 0; i < n; i++) {
      at += raw.launched[i];
      a.from[i] = at * unit;
      a.to[i] = raw.ended[i] ? (at + raw.ended[i] - 1) * unit : this.data.last_s;
      a.started[i] = raw.started[i] ? (at + raw.started[i] - 1) * unit : -1;
      a.readFrom[i] = raw.read_from[i] ? (at + raw.read_from[i] - 1) * unit : -1;
      a.readTo[i] = raw.read_to[i] ? (at + raw.read_to[i] - 1) * unit : -1;
    }
    return a;
  }

  // The rows of each lane, one lane behind the other, those of a lane in order of time.
  lanesOf() {
    const a = this.a, first = [0];
    for (const node of this.data.nodes) first.push(first[first.length - 1] + node.lanes);
    const count = first[first.length - 1];
    const start = new Uint32Array(count + 1), rows = new Uint32Array(a.count), lane = new Uint32Array(a.count);
    for (let i = 0; i < a.count; i++) {
      lane[i] = first[a.node[i]] + a.lane[i];
      start[lane[i] + 1]++;
    }
    for (let l = 0; l < count; l++) start[l + 1] += start[l];
    const next = start.slice();
    for (let i = 0; i < a.count; i++) rows[next[lane[i]]++] = i;
    return { count, first, start, rows, lane, ...this.inOrder(rows) };
  }

  // What drawing asks of every row, in the order of lanes: memory is read from one end to the other.
  inOrder(rows) {
    const a = this.a, from = new Float64Array(a.count), to = new Float64Array(a.count), look = new Uint8Array(a.count);
    for (let i = 0; i < a.count; i++) {
      from[i] = a.from[rows[i]];
      to[i] = a.to[rows[i]];
      look[i] = this.lookOf(rows[i]);
    }
    return { from, to, look };
  }

  lookOf(row) {
    const a = this.a, fate = a.fate[row], runs = fate === RUNS ? LOOK_RUNS : 0, lost = fate !== WON && !runs;
    if (isBad(fate)) return LOOK_FAILED;
    if (this.by === "outcome") return this.outcome(row) | runs;
    return runs | (this.by === "node" ? a.node[row] : a.phase[row]) % HUES.length | (this.isExtra(row) ? LOOK_EXTRA : 0) | (lost ? LOOK_LOST : 0);
  }

  colourBy(what) {
    this.by = what;
    this.lanes.look.forEach((_, i) => { this.lanes.look[i] = this.lookOf(this.lanes.rows[i]); });
  }

  // What became of it, as a number of a colour.
  outcome(row) {
    const fate = this.a.fate[row];
    if (this.a.straggled[row]) return SLOW;
    if (fate !== WON && fate !== RUNS) return LOST_RACE;
    return this.isExtra(row) && fate === WON ? CLONE_WON : FIRST_WON;
  }

  // Whether letters on it should be dark, on a light page.
  isPale(row) {
    return this.a.fate[row] === RUNS || this.by === "outcome" && [CLONE_WON, LOST_RACE].includes(this.outcome(row));
  }

  // Where the task of a winner would have ended without it; null: nowhere else.
  race(row) {
    const { a } = this, alone = a.alone[row], unit = this.data.unit_us / 1e6, at = (name) => a.from[row] + Math.max(0, a[name][row] - 1) * unit;
    if (!alone) return null;
    const how = alone & 15;
    return { known: how === ALONE_KNOWN || how === ALONE_PACE, rescued: (alone & ALONE_RESCUED) > 0,
      about: at("alone_about"), low: at("alone_low"), high: at("alone_high") };
  }

  // How an attempt ended, in a few words.
  ending(row) {
    const { a } = this;
    return a.fate[row] === FAILED && a.exit[row] ? `exit ${a.exit[row] - 1}` : FATES[a.fate[row]];
  }

  jobName(id) {
    const j = this.jobs.get(id);
    return j ? `${id} (${j.name})` : `${id}`;
  }

  phaseName(job, phase) {
    const j = this.jobs.get(job);
    return (j && j.phases[phase]) || `${phase}`;
  }

  // "map 3", or "task 3" where there is one phase.
  taskName(row) {
    const { a } = this, j = this.jobs.get(a.job[row]);
    return `${j && j.phases.length === 1 ? "task" : this.phaseName(a.job[row], a.phase[row])} ${a.number[row]}`;
  }

  // "map 3 clone".
  attemptName(row) {
    const kind = this.isExtra(row) ? ` ${this.data.kinds[this.a.kind[row]]}` : "";
    return `${this.phaseName(this.a.job[row], this.a.phase[row])} ${this.a.number[row]}${kind}`;
  }

  isExtra(row) {
    const kind = this.data.kinds[this.a.kind[row]];
    return kind === "clone" || kind === "backup";
  }

  key(row) {
    return `${this.a.job[row]}/${this.a.phase[row]}/${this.a.task[row]}`;
  }

  story(row) {
    return this.stories.get(this.key(row));
  }

  // The command that tells more of a task, or null: the journal is gone.
  command(row) {
    return this.commandOf(`${this.a.job[row]}/${this.a.phase[row]}/${this.a.number[row]}`);
  }

  commandOf(what) {
    const name = this.data.journal;
    if (name === null) return null;
    const quoted = /^[\w./+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
    return `dolly explain ${quoted} ${what}`;
  }

  // ---- who belongs to whom ----

  // Rows of one job. Made at the first question.
  rowsOf(job) {
    if (!this.byJob) {
      this.byJob = new Map();
      for (let i = 0; i < this.a.count; i++) {
        const list = this.byJob.get(this.a.job[i]);
        if (list) list.push(i);
        else this.byJob.set(this.a.job[i], [i]);
      }
    }
    return this.byJob.get(job) || [];
  }

  siblings(row) {
    const a = this.a;
    return this.rowsOf(a.job[row]).filter((i) => a.phase[i] === a.phase[row] && a.task[i] === a.task[row]);
  }

  // What a row has read, as far as it is kept: [phase, task], the task null for a whole phase.
  readsOf(row) {
    const a = this.a, list = [];
    for (let k = 0; k < Math.min(a.reads[row], this.data.reads_kept); k++) {
      const task = a[`read_task_${k}`][row];
      list.push([a[`read_phase_${k}`][row], task === 0xffffffff ? null : task]);
    }
    return list;
  }

  // The rows whose output this one has read, and those that have read its output.
  sources(row) {
    const a = this.a, reads = this.readsOf(row);
    if (!reads.length) return [];
    return this.rowsOf(a.job[row]).filter((i) => a.fate[i] === WON &&
      reads.some(([phase, task]) => a.phase[i] === phase && (task === null || a.task[i] === task)));
  }

  readers(row) {
    const a = this.a;
    if (a.fate[row] !== WON) return [];
    return this.rowsOf(a.job[row]).filter((i) => a.reads[i] &&
      this.readsOf(i).some(([phase, task]) => phase === a.phase[row] && (task === null || task === a.task[row])));
  }
}

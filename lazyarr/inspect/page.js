/* Draws what page.py tells, and answers clicks. Names come from programs and may hold anything: they enter the document
   as text, never as markup.

   `opened` and `chosen` are all that changes; `drawGraph` and `drawCharts` draw from them. */

const data = JSON.parse(document.getElementById("data").textContent);
const LARGE = 150;                       // nodes; larger graphs begin with their steps closed
const ROLES = {unmade: "operation that no step computes: an equal one is, or readers do it themselves"};
const PAD = 10, TITLE = 22, ROW = 15;    // of frames, in pixels

data.steps.forEach((step) => { step.nodes = []; });
data.nodes.forEach((node) => { node.users = []; });
data.nodes.forEach((node, i) => {
  for (const j of new Set(node.inputs)) data.nodes[j].users.push(i);
  if (node.group !== null) data.steps[node.group].nodes.push(i);
});
const opened = new Set(data.nodes.length > LARGE ? [] : data.steps.keys());
let chosen = {};                         // {node}, {step} or {block}: a number
let view = {x: 0, y: 0, scale: 1};
let shown = null;                        // the graph's layout: boxes of steps and of nodes, by number

const byId = (id) => document.getElementById(id);

/** A new element: attributes, and text or elements inside. */
function made(tag, attributes = {}, ...inside) {
  const svg = ["svg", "g", "rect", "text", "path", "line", "title"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null) element.setAttribute(name, value);
  }
  element.append(...inside);
  return element;
}

/* ---- Numbers and texts for people ---- */

function scaled(number, step, units) {
  let power = 0;
  for (; number >= step && power < units.length - 1; power++) number /= step;
  return `${number.toFixed(power === 0 || number >= 100 ? 0 : number >= 10 ? 1 : 2)} ${units[power]}`;
}
const bytes = (number) => scaled(number, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
const duration = (seconds) => seconds === null ? "not known" : scaled(seconds * 1e9, 1000, ["ns", "us", "ms", "s"]);
const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;
const listed = (names) => cut(names.join(", "), 300);
const titleOf = (step) => `step ${step + 1}: ${data.steps[step].kind}`;
const threadOf = (thread) => thread ? `thread ${thread}` : "evaluating thread";
const nameOf = (node) => `${node} ${data.nodes[node].name}`;
const tip = (text) => made("title", {}, text);   // which browsers show where the mouse rests

/* ---- The graph ---- */

/** Boxes of all that is shown: nodes outside steps, steps, and the nodes of opened ones, within their frames. */
function layout() {
  const nodes = data.nodes.map((node, i) => {
    const lines = [[cut(nameOf(i), 28), ""], [cut(`${node.shape} ${node.dtype}`, 32), "small"]];
    if (node.label) lines.push([cut(node.label, 32), "small"]);
    return sized({node: i}, lines);
  });
  const steps = data.steps.map((step, k) => {
    if (!opened.has(k)) {
      const count = step.nodes.filter((i) => data.nodes[i].role === "operation").length;
      return sized({step: k}, [[`▸ ${titleOf(k)}`, ""], [cut(step.operations.join(", "), 34), "small"],
                               [`${count} operation${count === 1 ? "" : "s"}`, "small"]], 8);
    }
    return {step: k, ...framed(step.nodes, nodes)};
  });
  // In the order of evaluation: nodes come before those that read them, and so do the steps that compute them.
  const boxes = [], at = new Map();
  data.nodes.forEach((node, i) => {
    const box = node.group === null ? nodes[i] : steps[node.group];
    if (!at.has(box)) at.set(box, boxes.push(box) - 1);
  });
  const top = (i) => at.get(data.nodes[i].group === null ? nodes[i] : steps[data.nodes[i].group]);
  const edges = data.nodes.flatMap((node, i) => node.inputs.map((j) => [top(j), top(i)]));
  const size = layered(boxes, edges);
  for (const box of steps) {
    for (const inner of box.inside ?? []) {
      inner.x += box.x + (box.w - box.width) / 2;
      inner.y += box.y + TITLE;
    }
  }
  return {nodes, steps, boxes, ...size};
}

/** The frame of an opened step. */
function framed(members, nodes) {
  const place = new Map(members.map((i, at) => [i, at])), inside = members.map((i) => nodes[i]);
  const edges = members.flatMap((i) => data.nodes[i].inputs.filter((j) => place.has(j))
    .map((j) => [place.get(j), place.get(i)]));
  const {width, height} = layered(inside, edges);
  return {inside, width, w: Math.max(width, 110) + 2 * PAD, h: height + TITLE + PAD};
}

function sized(box, lines, pad = 0) {
  const widest = greatest(lines.map(([text, style]) => text.length * (style ? 5.9 : 7.2)));
  return {...box, lines, w: Math.max(64, widest + 18 + pad), h: lines.length * ROW + 10, pad};
}

/** What stands for a node: its own box or that of the closed step it belongs to. */
function boxOf(i) {
  const step = data.nodes[i].group;
  return step === null || opened.has(step) ? shown.nodes[i] : shown.steps[step];
}

function drawGraph() {
  shown = layout();
  const parts = [made("g", {id: "frames"}), made("g", {id: "edges"}), made("g", {id: "boxes"})];
  for (const box of shown.boxes) {
    if (box.node !== undefined) parts[2].append(nodeBox(box));
    else parts[box.inside ? 0 : 2].append(stepBox(box));
    parts[2].append(...(box.inside ?? []).map(nodeBox));
  }
  const drawn = new Set();
  data.nodes.forEach((node, i) => node.inputs.forEach((j) => {
    const from = boxOf(j), to = boxOf(i);
    const key = `${from.step ?? ""},${from.node ?? ""};${to.step ?? ""},${to.node ?? ""}`;
    if (from === to || drawn.has(key)) return;
    drawn.add(key);
    parts[1].append(made("path", {class: "edge", d: curve(from, to), "data-from": j, "data-to": i}));
  }));
  byId("scene").replaceChildren(...parts);
  mark();
}

/** A line from one box to another, behind those in between. */
function curve(from, to) {
  const [x, y, endX, endY] = [from.x + from.w / 2, from.y + from.h, to.x + to.w / 2, to.y], middle = (y + endY) / 2;
  return `M${x},${y}C${x},${middle} ${endX},${middle} ${endX},${endY}`;
}

function texts(box) {
  return box.lines.map(([text, style], line) =>
    made("text", {class: style, x: box.x + 9 + box.pad, y: box.y + 17 + line * ROW}, text));
}

function nodeBox(box) {
  const node = data.nodes[box.node], placed = node.block !== null;
  const style = `node ${node.role}${node.wanted ? " wanted" : ""}${placed ? " placed" : ""}`;
  return made("g", {class: style, "data-node": box.node},
    made("rect", {x: box.x, y: box.y, width: box.w, height: box.h, rx: node.role === "constant" ? 14 : 5,
                  style: placed ? `fill: ${data.blocks[node.block].colour}` : null}), ...texts(box));
}

function stepBox(box) {
  const frame = {x: box.x, y: box.y, width: box.w, height: box.h, rx: 7};
  const inside = box.inside
    ? [made("text", {x: box.x + PAD + 4, y: box.y + 16}, `▾ ${titleOf(box.step)}`)] : texts(box);
  return made("g", {class: "step", "data-step": box.step}, tip(listed(data.steps[box.step].operations)),
    made("rect", frame),
    made("rect", {class: `kind ${data.steps[box.step].kind}`, x: box.x, y: box.y, width: 5, height: box.h, rx: 2}),
    ...inside);
}

/* ---- Looking around ---- */

function look(next) {
  view = next;
  byId("scene").setAttribute("transform", `translate(${view.x},${view.y}) scale(${view.scale})`);
}

/** Show all of it or, if nothing could be read then, the top. */
function fit(least = 0) {
  const {width, height} = byId("drawing").getBoundingClientRect();
  const whole = Math.min(1, (width - 40) / shown.width, (height - 80) / shown.height);
  const scale = Math.max(whole, least);
  look({scale, x: (width - shown.width * scale) / 2,
        y: whole < scale ? 50 : Math.max(50, (height - shown.height * scale) / 2)});
}

function zoom(event) {
  event.preventDefault();
  const {left, top} = byId("drawing").getBoundingClientRect();
  const [x, y] = [event.clientX - left, event.clientY - top];
  const scale = Math.min(4, Math.max(0.01, view.scale * Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015))));
  look({scale, x: x - (x - view.x) * scale / view.scale, y: y - (y - view.y) * scale / view.scale});
}

let drag = null;
function startMoving(event) {
  if (event.button === 0) drag = {x: event.clientX - view.x, y: event.clientY - view.y, event, moved: false};
}
function keepMoving(event) {
  if (!drag) return;
  if (!drag.moved) {
    drag.moved = Math.hypot(event.clientX - drag.event.clientX, event.clientY - drag.event.clientY) > 4;
    if (!drag.moved) return;
    byId("drawing").setPointerCapture(event.pointerId);
    byId("drawing").classList.add("moving");
  }
  look({...view, x: event.clientX - drag.x, y: event.clientY - drag.y});
}
function stopMoving() {
  byId("drawing").classList.remove("moving");
  if (drag?.moved) window.addEventListener("click", (event) => event.stopPropagation(), {capture: true, once: true});
  drag = null;
}

/** Bring a box to the middle, unless it is in sight. */
function reveal(box) {
  const {width, height} = byId("drawing").getBoundingClientRect();
  const [x, y] = [box.x * view.scale + view.x, box.y * view.scale + view.y];
  if (x > 0 && y > 40 && x + box.w * view.scale < width && y + box.h * view.scale < height) return;
  const scale = Math.max(view.scale, 0.5);
  look({scale, x: width / 2 - (box.x + box.w / 2) * scale, y: height / 2 - (box.y + Math.min(box.h, 60) / 2) * scale});
}

/** Open and close steps; `kept` stays where it is on the screen. */
function setOpened(steps, on, kept = null) {
  const before = kept === null ? null : shown.steps[kept];
  for (const step of steps) on ? opened.add(step) : opened.delete(step);
  drawGraph();
  if (before === null) return fit(0.7);
  const after = shown.steps[kept];
  look({...view, x: view.x + (before.x - after.x) * view.scale, y: view.y + (before.y - after.y) * view.scale});
}

/* ---- What is chosen ---- */

function choose(next) {
  chosen = next;
  mark();
  describe();
}

function mark() {
  for (const element of document.querySelectorAll(".chosen")) element.classList.remove("chosen");
  const {node, step, block} = chosen;
  const parts = [];
  if (node !== undefined) {
    parts.push(`[data-node="${node}"]`, `.edge[data-from="${node}"]`, `.edge[data-to="${node}"]`);
    const {group, block: own} = data.nodes[node];
    if (own !== null) parts.push(`[data-block="${own}"]`);
    if (group !== null && !opened.has(group)) parts.push(`[data-step="${group}"]`);
  }
  if (step !== undefined) parts.push(`[data-step="${step}"]`);
  if (block !== undefined) {
    parts.push(`[data-block="${block}"]`, ...data.blocks[block].nodes.map((i) => `[data-node="${i}"]`));
  }
  if (parts.length) for (const element of document.querySelectorAll(parts.join())) element.classList.add("chosen");
}

function rows(title, ...pairs) {
  const inside = pairs.filter(([, value]) => value !== null && value !== "")
    .flatMap(([name, value]) => [made("dt", {}, name), made("dd", {}, ...[value].flat())]);
  byId("details").replaceChildren(made("h3", {}, title), made("dl", {}, ...inside));
}

const toNode = (i) => made("button", {onclick: () => { choose({node: i}); reveal(boxOf(i)); }}, nameOf(i));
const toStep = (k) => made("button", {onclick: () => { choose({step: k}); reveal(shown.steps[k]); }}, titleOf(k));
const toBlock = (b) => [made("span", {class: "swatch", style: `background: ${data.blocks[b].colour}`}),
                        made("button", {onclick: () => choose({block: b})}, `block ${b}`)];
const nodesListed = (nodes) => nodes.length ? [...nodes.slice(0, 50).map(toNode),
                                               ...(nodes.length > 50 ? [`and ${nodes.length - 50} more`] : [])] : "";

/** Number, begin and seconds of each thread that worked on a step, where that was measured. */
const worked = ({thread, shares, began, measured}) =>
  shares.length || measured === null ? shares : [[thread, began, measured]];

function describe() {
  const {node: i, step: k, block: b} = chosen;
  if (i !== undefined) {
    const node = data.nodes[i];
    rows(node.name, ["id", `${i}`], ["kind", ROLES[node.role] ?? node.role], ["shape", node.shape],
         ["dtype", node.dtype], ["bytes", bytes(node.nbytes)], ["made at", node.madeAt],
         ["wanted", node.wanted ? "yes, its value is kept" : ""],
         ["step", node.group === null ? "" : toStep(node.group)],
         ["memory", node.block === null ? "" : toBlock(node.block)],
         ["inputs", nodesListed(node.inputs)], ["users", nodesListed(node.users)]);
  } else if (k !== undefined) {
    const step = data.steps[k];
    rows(titleOf(k), ["operations", listed(step.operations)],
         ["reads", bytes(step.read)], ["writes", bytes(step.written)],
         ["expected", duration(step.expected)], ["measured", duration(step.measured)],
         ["threads", worked(step).map(([thread, , taken]) => `${threadOf(thread)}: ${duration(taken)}`).join(", ")],
         ["made at", listed(step.lines)], ["nodes", nodesListed(step.nodes)]);
  } else if (b !== undefined) {
    const block = data.blocks[b];
    rows(`block ${b}`, ["bytes", bytes(block.nbytes)], ["from", toStep(block.first)], ["to", toStep(block.last)],
         ["nodes", nodesListed(block.nodes)]);
  } else {
    rows("Details", ["", data.nodes.length ? "Click on a node, a step or a block." : "Nothing to evaluate."]);
  }
}

/* ---- Charts ---- */

const LEFT = 130;   // of the charts, for what stands beside them
const LANE = 30;    // of a thread

/** An empty chart. */
function chart(id, height, width) {
  byId(id).setAttribute("width", width);
  byId(id).setAttribute("height", height);
  byId(id).replaceChildren();
  return byId(id);
}

/** How wide charts are: each step has two pixels at least. */
const room = () => Math.max(byId("timeline").parentElement.clientWidth - 2, LEFT + 20 + 2 * data.steps.length);

function drawTimeline() {
  const steps = data.steps, measured = steps.length > 0 && steps.every((step) => step.measured !== null);
  byId("timeline-title").textContent = measured
    ? "Timeline: steps by thread, as measured in the last profiled evaluation"
    : "Timeline: steps by thread, as expected (on one thread; pale where nothing is known)";
  const known = steps.map((step) => step.expected).filter((seconds) => seconds !== null);
  const usual = known.length ? mean(known) : 1;
  let end = 0;
  const spans = steps.map((step) => {
    const began = measured ? step.began : end, taken = measured ? step.measured : step.expected ?? usual;
    end = Math.max(end, began + taken);
    return {began, taken};
  });
  const lanes = 1 + Math.max(0, greatest(steps.flatMap((step) => worked(step).map(([thread]) => thread))));
  const high = lanes * LANE, width = room(), inner = width - LEFT - 16, svg = chart("timeline", high + 34, width);
  if (!steps.length) return;
  for (let lane = 0; lane < lanes; lane++) {
    svg.append(made("text", {class: "small lane", x: 10, y: lane * LANE + 23}, threadOf(lane)));
  }
  for (let tick = 0; tick <= 5; tick++) {
    const x = LEFT + inner * tick / 5;
    svg.append(made("line", {class: "axis", x1: x, x2: x, y1: 6, y2: high + 12}),
               made("text", {class: "small", x, y: high + 26, "text-anchor": tick === 5 ? "end" : "middle"},
                    known.length || measured ? duration(end * tick / 5) : ""));
  }
  const bar = (k, style, lane, began, taken, told) => svg.append(made("rect", {
    class: `${style} ${steps[k].kind}`, x: LEFT + inner * began / end, y: 8 + lane * LANE,
    width: Math.max(1.5, inner * taken / end), height: LANE - 6, "data-step": k},
    tip(`${titleOf(k)}\n${listed(steps[k].operations)}\n${told}`)));
  spans.forEach(({began, taken}, k) => {
    const {expected, thread, shares} = steps[k], unknown = !measured && expected === null;
    const style = unknown ? "bar unknown" : shares.length ? "bar whole" : "bar";
    bar(k, style, thread ?? 0, began, taken, unknown ? "time not known" : duration(taken));
    for (const [t, at, lasted] of shares) bar(k, "share", t, at, lasted, `${threadOf(t)}: ${duration(lasted)}`);
  });
}

function drawMemory() {
  const width = room(), inner = width - LEFT - 16, height = 220, svg = chart("memory", height + 34, width);
  const top = Math.max(1, greatest(data.blocks.map((block) => block.offset + block.nbytes)));
  const y = (at) => 8 + height * (1 - at / top), x = (step) => LEFT + inner * step / data.steps.length;
  if (!data.blocks.length) return;
  for (let tick = 0; tick <= 4; tick++) {
    svg.append(made("line", {class: "axis", x1: LEFT, x2: width - 16, y1: y(top * tick / 4), y2: y(top * tick / 4)}),
               made("text", {class: "small", x: LEFT - 8, y: y(top * tick / 4) + 4, "text-anchor": "end"},
                    bytes(top * tick / 4)));
  }
  const every = Math.ceil(data.steps.length * 40 / inner);
  for (let k = 0; k < data.steps.length; k += every) {
    svg.append(made("text", {class: "small", x: (x(k) + x(k + 1)) / 2, y: height + 26, "text-anchor": "middle"},
                    `${k + 1}`));
  }
  data.blocks.forEach((block, b) => svg.append(made("rect", {
    class: "block", style: `fill: ${block.colour}`, x: x(block.first), y: y(block.offset + block.nbytes),
    width: Math.max(1.5, x(block.last + 1) - x(block.first)), height: y(block.offset) - y(block.offset + block.nbytes),
    "data-block": b}, tip(`block ${b}, ${bytes(block.nbytes)}, steps ${block.first + 1} to ${block.last + 1}\n`
                          + listed(block.nodes.map(nameOf))))));
}

function drawCharts() {
  drawTimeline();
  drawMemory();
  mark();
}

/* ---- The page ---- */

function click(event) {
  const {node, step, block} = event.target.closest("[data-node], [data-step], [data-block]")?.dataset ?? {};
  if (node !== undefined) choose({node: +node});
  else if (block !== undefined) choose({block: +block});
  else if (step !== undefined) {
    if (event.target.closest("#drawing")) setOpened([+step], !opened.has(+step), +step);
    else reveal(shown.steps[step]);
    choose({step: +step});
  }
}

byId("summary").textContent = data.summary;
byId("drawing").addEventListener("wheel", zoom, {passive: false});
byId("drawing").addEventListener("pointerdown", startMoving);
window.addEventListener("pointermove", keepMoving);
window.addEventListener("pointerup", stopMoving);
window.addEventListener("click", click);
window.addEventListener("resize", drawCharts);
byId("expand").addEventListener("click", () => setOpened(data.steps.keys(), true));
byId("collapse").addEventListener("click", () => setOpened(data.steps.keys(), false));
byId("fit").addEventListener("click", () => fit());
drawGraph();
fit(0.7);
drawCharts();
describe();

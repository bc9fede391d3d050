/* Draws lines between the boxes of the graph, moves it, and answers clicks. Names come from programs and may hold
   anything: they enter the document as text, never as markup. */

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const [drawing, scene] = [byId("drawing"), byId("scene")];
const boxes = {node: [], step: []};      // by number
for (const kind of ["node", "step"]) {
  for (const box of scene.querySelectorAll(`.${kind}`)) boxes[kind][box.dataset[kind]] = box;
}
let chosen = null;                       // {kind, number} of a node, a step, a block or an item of the schedule
let view = {x: 0, y: 0, scale: 1};

/* ---- The graph ---- */

/** What stands for a node: its own box or that of the closed step it belongs to. */
function boxOf(i) {
  const step = boxes.step[data.nodes[i].group];
  return step && !step.open ? step : boxes.node[i];
}

function drawEdges() {
  const origin = scene.getBoundingClientRect(), places = new Map(), lines = new Map();
  const placeOf = (box) => {
    if (!places.has(box)) {
      const {left, right, top, bottom} = box.getBoundingClientRect();
      const [x, above, below] = [(left + right) / 2 - origin.left, top - origin.top, bottom - origin.top]
        .map((pixels) => pixels / view.scale);
      places.set(box, {number: places.size, x, above, below});
    }
    return places.get(box);
  };
  data.nodes.forEach((node, i) => node.inputs.forEach((j) => {
    const from = placeOf(boxOf(j)), to = placeOf(boxOf(i)), key = `${from.number},${to.number}`;
    if (from === to || lines.has(key)) return;
    const middle = (from.below + to.above) / 2;
    lines.set(key, `<path class="edge" data-from="${j}" data-to="${i}" d="M${from.x},`
      + `${from.below}C${from.x},${middle} ${to.x},${middle} ${to.x},${to.above}"/>`);
  }));
  byId("edges").innerHTML = [...lines.values()].join("");
  mark();
}

/** Open and close steps; `kept` stays where it is on the screen. */
function setOpened(steps, on, kept) {
  const before = kept?.getBoundingClientRect();
  for (const step of steps) step.open = on;
  drawEdges();
  if (!kept) return fit(0.7);
  const after = kept.getBoundingClientRect();
  look({...view, x: view.x + before.left - after.left, y: view.y + before.top - after.top});
}

/* ---- Looking around ---- */

function look(next) {
  view = next;
  scene.style.transform = `translate(${view.x}px,${view.y}px) scale(${view.scale})`;
}

/** Show all of it or, if nothing could be read then, the top. */
function fit(least = 0) {
  const {width, height} = drawing.getBoundingClientRect(), {offsetWidth, offsetHeight} = scene;
  const whole = Math.min(1, (width - 40) / offsetWidth, (height - 80) / offsetHeight);
  const scale = Math.max(whole, least);
  look({scale, x: (width - offsetWidth * scale) / 2,
        y: whole < scale ? 50 : Math.max(50, (height - offsetHeight * scale) / 2)});
}

function zoom(event) {
  event.preventDefault();
  const {left, top} = drawing.getBoundingClientRect();
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
    drawing.setPointerCapture(event.pointerId);
    drawing.classList.add("moving");
  }
  look({...view, x: event.clientX - drag.x, y: event.clientY - drag.y});
}
function stopMoving() {
  drawing.classList.remove("moving");
  if (drag?.moved) window.addEventListener("click", (event) => event.stopPropagation(), {capture: true, once: true});
  drag = null;
}

/** Bring a box to the middle, unless it is in sight. */
function reveal(box) {
  const frame = drawing.getBoundingClientRect(), place = box.getBoundingClientRect();
  if (place.left > frame.left && place.top > frame.top + 40 && place.right < frame.right
      && place.bottom < frame.bottom) return;
  look({...view, x: view.x + (frame.left + frame.right - place.left - place.right) / 2,
        y: view.y + (frame.top + frame.bottom) / 2 - place.top - Math.min(place.height, 60) / 2});
}

/* ---- What is chosen ---- */

function choose(kind, number) {
  chosen = {kind, number};
  mark();
  describe();
}

function mark() {
  for (const element of document.querySelectorAll(".chosen")) element.classList.remove("chosen");
  if (!chosen) return;
  const {kind, number} = chosen, parts = [`[data-${kind}="${number}"]`];
  if (kind === "node") {
    parts.push(`.edge[data-from="${number}"]`, `.edge[data-to="${number}"]`, `[data-block="${data.nodes[number].block}"]`);
    boxOf(number).classList.add("chosen");
  } else if (kind === "item") parts.push(`.wait[data-from="${number}"]`, `.wait[data-to="${number}"]`);
  else if (kind === "block") parts.push(...data.blocks[number].nodes.map((i) => `[data-node="${i}"]`));
  for (const element of document.querySelectorAll(parts.join())) element.classList.add("chosen");
}

/** A new element, with text or elements inside. */
function made(tag, ...inside) {
  const element = document.createElement(tag);
  element.append(...inside);
  return element;
}

/** A text, or a button that leads to a node, a step, a block or an item of the schedule. */
function part(value) {
  if (typeof value === "string") return value;
  const [[kind, number]] = Object.entries(value), {name, colour} = data[`${kind}s`][number];
  const button = made("button", kind === "node" ? `${number} ${name}` : name);
  if (colour) button.style.borderLeft = `10px solid ${colour}`;
  button.addEventListener("click", () => {
    choose(kind, number);
    if (kind === "item") document.querySelector(`[data-item="${number}"]`).scrollIntoView({block: "nearest"});
    else if (kind !== "block") reveal(kind === "node" ? boxOf(number) : boxes.step[number]);
  });
  return button;
}

function describe() {
  const {name, rows} = data[`${chosen.kind}s`][chosen.number];
  byId("details").replaceChildren(made("h3", name), made("dl", ...rows.flatMap(
    ([term, value]) => [made("dt", term), made("dd", ...[value].flat().map(part))])));
}

/* ---- The page ---- */

function click(event) {
  const found = event.target.closest("[data-node], [data-step], [data-block], [data-item]");
  if (!found) return;
  const [kind] = Object.keys(found.dataset), number = +found.dataset[kind];
  if (found.tagName === "DETAILS") {
    event.preventDefault();  // it would open and close by itself, but after this
    setOpened([found], !found.open, found);
  } else if (kind === "step") reveal(boxes.step[number]);
  choose(kind, number);
}

drawing.addEventListener("wheel", zoom, {passive: false});
drawing.addEventListener("pointerdown", startMoving);
window.addEventListener("pointermove", keepMoving);
window.addEventListener("pointerup", stopMoving);
window.addEventListener("click", click);
byId("expand").addEventListener("click", () => setOpened(boxes.step, true));
byId("collapse").addEventListener("click", () => setOpened(boxes.step, false));
byId("fit").addEventListener("click", () => fit());
fit(0.7);
drawEdges();

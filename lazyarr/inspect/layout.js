/* Where the boxes of a graph lie: in rows from top to bottom, each box below those it reads (Sugiyama's method).

   1. Rows: a box comes one row below the lowest that it reads; what reads nothing, one above its first reader. Ports
      are in the first or in the last row.
   2. A line that crosses rows gets a point in each, which takes part in all that follows, so that it goes round boxes.
   3. Order in a row: by the mean place of what a box is connected to above, then below, a few times.
   4. Rows that are far too wide are broken.
   5. Places: as close to the mean of the neighbours as the order allows. */

const GAP_X = 18, GAP_Y = 34, MOST_POINTS = 6000, SWEEPS = 6;

/** Give boxes {w, h, port}, listed in the order of evaluation, their left upper corners x and y; edges are pairs of
    their numbers. Returns {width, height, points}: of an edge "from,to" the points that it passes, if any. */
function layered(boxes, edges) {
  if (!boxes.length) return {width: 0, height: 0, points: new Map()};
  edges = [...new Map(edges.filter(([a, b]) => a !== b).map((edge) => [`${edge}`, edge])).values()];
  const rank = ranks(boxes, edges);
  const cells = boxes.map((box, i) => ({w: box.w, h: box.h, row: rank[i], up: [], down: [], box}));
  const points = new Map();
  let room = MOST_POINTS;
  for (const [a, b] of edges) {
    const between = rank[b] - rank[a] - 1;
    let last = cells[a];
    if (between > 0 && between <= room) {
      room -= between;
      points.set(`${a},${b}`, []);
      for (let row = rank[a] + 1; row < rank[b]; row++) {
        const point = {w: 6, h: 0, row, up: [], down: []};
        cells.push(point);
        points.get(`${a},${b}`).push(point);
        connect(last, point);
        last = point;
      }
    }
    connect(last, cells[b]);
  }
  let rows = [];
  for (const cell of cells) (rows[cell.row] ??= []).push(cell);
  rows = rows.filter((row) => row);
  order(rows);
  rows = broken(rows, Math.max(12, Math.ceil(2 * Math.sqrt(cells.length))));
  let y = 0;
  for (const row of rows) {
    const height = greatest(row.map((cell) => cell.h));
    for (const cell of row) cell.y = y + (height - cell.h) / 2;
    y += height + GAP_Y;
  }
  place(rows);
  const left = -greatest(cells.map((cell) => -cell.x)), right = greatest(cells.map((cell) => cell.x + cell.w));
  for (const cell of cells) {
    cell.x -= left;
    if (cell.box) [cell.box.x, cell.box.y] = [cell.x, cell.y];
  }
  for (const [edge, through] of points) points.set(edge, through.map((cell) => [cell.x + cell.w / 2, cell.y]));
  return {width: right - left, height: y - GAP_Y, points};
}

function connect(above, below) {
  above.down.push(below);
  below.up.push(above);
}

/** Step 1. Steps that are drawn as one box may form circles: they are broken where evaluation begins. */
function ranks(boxes, edges) {
  const count = boxes.length, rank = new Array(count).fill(0), missing = rank.slice(), done = rank.map(() => false);
  const next = rank.map(() => []), free = [];
  for (const [a, b] of edges) {
    next[a].push(b);
    missing[b]++;
  }
  const sources = missing.map((n) => n === 0);
  for (let i = 0; i < count; i++) if (sources[i]) free.push(i);
  for (let placed = 0, first = 0; placed < count; placed++) {
    while (done[first]) first++;
    const i = placed < free.length ? free[placed] : (free.push(first), first);
    done[i] = true;
    for (const j of next[i]) {
      if (done[j]) continue;
      rank[j] = Math.max(rank[j], rank[i] + 1);
      if (--missing[j] === 0) free.push(j);
    }
  }
  const last = greatest(rank);
  for (let i = 0; i < count; i++) {
    if (boxes[i].port === "bottom") rank[i] = last;
    else if (sources[i] && next[i].length && !boxes[i].port) rank[i] = -greatest(next[i].map((j) => -rank[j])) - 1;
  }
  return rank;
}

/** Step 3. */
function order(rows) {
  const number = (row) => row.forEach((cell, i) => { cell.at = (i + 0.5) / row.length; });
  const sort = (row, side) => {
    for (const cell of row) cell.wish = cell[side].length ? mean(cell[side].map((other) => other.at)) : cell.at;
    row.sort((a, b) => a.wish - b.wish);
    number(row);
  };
  rows.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    if (sweep % 2) for (const row of rows.toReversed()) sort(row, "down");
    else for (const row of rows) sort(row, "up");
  }
}

/** Step 4. */
function broken(rows, most) {
  return rows.flatMap((row) => Array.from({length: Math.ceil(row.length / most)},
                                          (_, part) => row.slice(part * most, (part + 1) * most)));
}

/** Step 5. The mean of two placements that keep the order and the gaps keeps both, too. */
function place(rows) {
  for (const row of rows) {
    let x = -row.reduce((sum, cell) => sum + cell.w + GAP_X, 0) / 2;
    for (const cell of row) {
      cell.x = x;
      x += cell.w + GAP_X;
    }
  }
  for (let sweep = 0; sweep < 2 * SWEEPS; sweep++) {
    const side = sweep % 2 ? "down" : "up";
    for (const row of sweep % 2 ? rows.toReversed() : rows) {
      const wish = row.map((cell) => {
        const near = sweep < SWEEPS ? cell[side] : [...cell.up, ...cell.down];
        return near.length ? mean(near.map((other) => other.x + other.w / 2)) - cell.w / 2 : cell.x;
      });
      const right = wish.slice(), left = wish.slice();
      for (let i = 1; i < row.length; i++) right[i] = Math.max(wish[i], right[i - 1] + row[i - 1].w + GAP_X);
      for (let i = row.length - 2; i >= 0; i--) left[i] = Math.min(wish[i], left[i + 1] - row[i].w - GAP_X);
      row.forEach((cell, i) => { cell.x = (left[i] + right[i]) / 2; });
    }
  }
}

const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
// Spread as arguments of Math.max, many numbers would overflow the stack.
const greatest = (numbers) => numbers.reduce((most, x) => Math.max(most, x), -Infinity);

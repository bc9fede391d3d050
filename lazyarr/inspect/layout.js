/* Where the boxes of a graph lie: in rows from top to bottom, each box below those it reads (Sugiyama's method).

   1. Rows: a box comes one row below the lowest that it reads; what reads nothing, one above its first reader.
   2. Order in a row: by the mean place of what a box is connected to above, then below, a few times.
   3. Rows that are far too wide are broken.
   4. Places: as close to the mean of the neighbours as the order allows. */

const GAP_X = 18, GAP_Y = 34, SWEEPS = 6;

/** Give boxes {w, h}, listed in the order of evaluation, their left upper corners x and y; edges are pairs of their
    numbers. Returns {width, height}. */
function layered(boxes, edges) {
  if (!boxes.length) return {width: 0, height: 0};
  edges = [...new Map(edges.filter(([a, b]) => a !== b).map((edge) => [`${edge}`, edge])).values()];
  for (const box of boxes) [box.up, box.down] = [[], []];
  for (const [a, b] of edges) {
    boxes[a].down.push(boxes[b]);
    boxes[b].up.push(boxes[a]);
  }
  let rows = [];
  ranks(boxes.length, edges).forEach((rank, i) => (rows[rank] ??= []).push(boxes[i]));
  rows = rows.filter((row) => row);
  order(rows);
  rows = broken(rows, Math.max(12, Math.ceil(2 * Math.sqrt(boxes.length))));
  let y = 0;
  for (const row of rows) {
    const height = greatest(row.map((box) => box.h));
    for (const box of row) box.y = y + (height - box.h) / 2;
    y += height + GAP_Y;
  }
  place(rows);
  const left = -greatest(boxes.map((box) => -box.x)), right = greatest(boxes.map((box) => box.x + box.w));
  for (const box of boxes) box.x -= left;
  return {width: right - left, height: y - GAP_Y};
}

/** Step 1. Steps that are drawn as one box may form circles: they are broken where evaluation begins. */
function ranks(count, edges) {
  const rank = new Array(count).fill(0), missing = rank.slice(), done = rank.map(() => false);
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
  return rank.map((own, i) => sources[i] && next[i].length ? -greatest(next[i].map((j) => -rank[j])) - 1 : own);
}

/** Step 2. */
function order(rows) {
  const number = (row) => row.forEach((box, i) => { box.at = (i + 0.5) / row.length; });
  const sort = (row, side) => {
    for (const box of row) box.wish = box[side].length ? mean(box[side].map((other) => other.at)) : box.at;
    row.sort((a, b) => a.wish - b.wish);
    number(row);
  };
  rows.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    if (sweep % 2) for (const row of rows.toReversed()) sort(row, "down");
    else for (const row of rows) sort(row, "up");
  }
}

/** Step 3. */
function broken(rows, most) {
  return rows.flatMap((row) => Array.from({length: Math.ceil(row.length / most)},
                                          (_, part) => row.slice(part * most, (part + 1) * most)));
}

/** Step 4. The mean of two placements that keep the order and the gaps keeps both, too. */
function place(rows) {
  for (const row of rows) {
    let x = -row.reduce((sum, box) => sum + box.w + GAP_X, 0) / 2;
    for (const box of row) {
      box.x = x;
      x += box.w + GAP_X;
    }
  }
  for (let sweep = 0; sweep < 2 * SWEEPS; sweep++) {
    const side = sweep % 2 ? "down" : "up";
    for (const row of sweep % 2 ? rows.toReversed() : rows) {
      const wish = row.map((box) => {
        const near = sweep < SWEEPS ? box[side] : [...box.up, ...box.down];
        return near.length ? mean(near.map((other) => other.x + other.w / 2)) - box.w / 2 : box.x;
      });
      const right = wish.slice(), left = wish.slice();
      for (let i = 1; i < row.length; i++) right[i] = Math.max(wish[i], right[i - 1] + row[i - 1].w + GAP_X);
      for (let i = row.length - 2; i >= 0; i--) left[i] = Math.min(wish[i], left[i + 1] - row[i].w - GAP_X);
      row.forEach((box, i) => { box.x = (left[i] + right[i]) / 2; });
    }
  }
}

const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
// Spread as arguments of Math.max, many numbers would overflow the stack.
const greatest = (numbers) => numbers.reduce((most, x) => Math.max(most, x), -Infinity);

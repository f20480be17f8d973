/** Where values occur in a line: pairs of start and end, in UTF-8 bytes, ascending, without overlap. */
export type Ranges = readonly (readonly [start: number, end: number])[];

export interface Found {
  readonly ranges: Ranges;
  /** From here to its end, the line is the beginning of a value; the length of the line when it is of none. */
  readonly openFrom: number;
}

/**
 * Finds all occurrences of many values at once in time linear in the line, however many values there are and whatever
 * they have in common (Aho and Corasick, "Efficient string matching", 1975). Values are given and lines are searched as
 * UTF-8, in which an occurrence always begins and ends between two characters. Memory: about 50 bytes for each byte of the
 * values. Occurrences that overlap are joined, so that nothing of either is left.
 */
export function createFinder(values: readonly Uint8Array[]): (line: Uint8Array) => Found {
  const trie = createTrie(values.reduce((sum, value) => sum + value.length, 1));
  for (const value of values) trie.add(value);
  const { next, fallback, longest, depth } = trie.link();
  return (line) => {
    const found: [number, number][] = [];
    let node = ROOT;
    for (let at = 0; at < line.length; at += 1) {
      const byte = line[at] ?? 0;
      let to = next(node, byte);
      while (to === NONE && node !== ROOT) {
        node = fallback[node] ?? ROOT;
        to = next(node, byte);
      }
      node = to === NONE ? ROOT : to;
      const length = longest[node] ?? 0;
      if (length > 0) join(found, at + 1 - length, at + 1);
    }
    return { ranges: found, openFrom: line.length - (depth[node] ?? 0) };
  };
}

const ROOT = 0;
const NONE = -1;

/** Adds a range whose end is past all others, and swallows those that it overlaps. */
function join(ranges: [number, number][], start: number, end: number): void {
  let from = start;
  for (let last = ranges.at(-1); last !== undefined && last[1] > from; last = ranges.at(-1)) {
    from = Math.min(from, last[0]);
    ranges.pop();
  }
  ranges.push([from, end]);
}

/** Nodes are numbers; the edges lie in one hash table with open addressing, at most half full. */
function createTrie(capacity: number) {
  const bits = Math.ceil(Math.log2(capacity * 2));
  const mask = 2 ** bits - 1;
  const keys = new Float64Array(mask + 1).fill(NONE);
  const targets = new Int32Array(mask + 1);
  const parent = new Int32Array(capacity);
  const byteOf = new Uint8Array(capacity);
  const depth = new Int32Array(capacity);
  const fallback = new Int32Array(capacity);
  /** Length of the longest value that ends at the node. */
  const longest = new Int32Array(capacity);
  let count = 1;

  const slotOf = (key: number): number => {
    let slot = Math.imul(key % 0x1_0000_0000, 0x9e37_79b1) >>> (32 - bits);
    while (keys[slot] !== NONE && keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  };
  const next = (node: number, byte: number): number => {
    const slot = slotOf(node * 256 + byte);
    return keys[slot] === NONE ? NONE : (targets[slot] ?? NONE);
  };
  const grow = (node: number, byte: number): number => {
    const slot = slotOf(node * 256 + byte);
    if (keys[slot] !== NONE) return targets[slot] ?? ROOT;
    keys[slot] = node * 256 + byte;
    targets[slot] = count;
    parent[count] = node;
    byteOf[count] = byte;
    depth[count] = (depth[node] ?? 0) + 1;
    count += 1;
    return count - 1;
  };

  return {
    add(value: Uint8Array): void {
      let node = ROOT;
      for (const byte of value) node = grow(node, byte);
      longest[node] = value.length;
    },
    /** Gives each node the one to go on from when no edge fits: the longest proper suffix that begins a value. */
    link() {
      for (const node of byDepth(depth.subarray(0, count))) {
        if (node === ROOT) continue;
        const above = parent[node] ?? ROOT;
        const byte = byteOf[node] ?? 0;
        let from = above;
        let to = NONE;
        while (from !== ROOT && to === NONE) {
          from = fallback[from] ?? ROOT;
          to = next(from, byte);
        }
        fallback[node] = to === NONE ? ROOT : to;
        longest[node] ||= longest[fallback[node] ?? ROOT] ?? 0;
      }
      return { next, fallback, longest, depth };
    },
  };
}

/** The nodes from the root downwards, by counting. */
function byDepth(depth: Int32Array): Int32Array {
  const starts = new Int32Array(depth.reduce((most, one) => Math.max(most, one), 0) + 2);
  for (const one of depth) starts[one + 1] = (starts[one + 1] ?? 0) + 1;
  for (let at = 1; at < starts.length; at += 1) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0);
  const order = new Int32Array(depth.length);
  depth.forEach((one, node) => {
    const place = starts[one] ?? 0;
    order[place] = node;
    starts[one] = place + 1;
  });
  return order;
}

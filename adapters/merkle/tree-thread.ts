import { parentPort, workerData } from 'node:worker_threads';
import { buildTree } from './build-tree.ts';

/** The thread that builds one tree: takes the event hashes as its data and posts the tree, both without a copy. */
if (parentPort === null) throw new Error('tree-thread.ts runs as a worker thread');
const tree = buildTree(workerData as Uint8Array);
parentPort.postMessage(tree, [tree.nodes.buffer as ArrayBuffer, tree.positions.buffer as ArrayBuffer]);

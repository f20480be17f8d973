import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import fc from 'fast-check';
import { assertKeccak } from '../../../adapters/merkle/assert-keccak.ts';
import { buildTree } from '../../../adapters/merkle/build-tree.ts';
import { KECCAK_RESERVED_BYTES } from '../../../adapters/merkle/keccak.ts';
import { createKeccak } from '../../../adapters/merkle/keccak-module.ts';
import { createTreeBuilder } from '../../../adapters/merkle/tree-builder.ts';
import type { Hash } from '../../../domain/audit-ledger/event.ts';
import { leafOf, rootOfProof } from '../../../domain/audit-ledger/merkle-proof.ts';
import { type MerkleTree, siblingPath, toHash } from '../../../domain/audit-ledger/merkle-tree.ts';

const hashAt = (bytes: Uint8Array, index: number): Hash => toHash(bytes.subarray(index * 32, (index + 1) * 32));

function proofOf(tree: MerkleTree, leafIndex: number): Hash[] {
  return siblingPath(tree.positions[leafIndex] ?? 0).map((node) => hashAt(tree.nodes, node));
}

/** Hashes that begin alike, so that the order has to look beyond the first bytes. */
function alike(count: number): Uint8Array {
  const hashes = Array.from({ length: count }, (_, index) => createHash('sha256').update(`${index}`).digest());
  return Buffer.concat(hashes);
}

function standardTree(hashes: Uint8Array) {
  const values = Array.from({ length: hashes.length / 32 }, (_, index) => [hashAt(hashes, index)]);
  return StandardMerkleTree.of(values, ['bytes32']);
}

describe('Merkle trees', () => {
  it('keccak256 of 32 and 64 bytes is that of another implementation', () => {
    const keccak = createKeccak(1_024);
    const [from, to] = [KECCAK_RESERVED_BYTES, KECCAK_RESERVED_BYTES + 64];
    for (let round = 0; round < 500; round += 1) {
      const input = round === 0 ? new Uint8Array(64) : round === 1 ? new Uint8Array(64).fill(255) : randomBytes(64);
      keccak.bytes.set(input, from);
      keccak.hash32(from, to);
      assert.equal(hashAt(keccak.bytes.slice(to), 0), toHash(keccak_256(Uint8Array.from(input.subarray(0, 32)))));
      keccak.hash64(from, from + 32, to);
      assert.equal(hashAt(keccak.bytes.slice(to), 0), toHash(keccak_256(Uint8Array.from(input))));
    }
  });

  it('functions that hash otherwise than the library are not given to anybody', () => {
    const bytes = new Uint8Array(1_024);
    const write = (to: number, ...parts: Uint8Array[]) =>
      void bytes.set(parts.reduce((sum, part) => sum.update(part), createHash('sha3-256')).digest(), to);
    const at = (from: number) => bytes.slice(from, from + 32);
    // SHA3-256 differs from keccak256 in its padding alone: the mistake that is made most.
    const hash32 = (from: number, to: number) => write(to, at(from));
    const hash64 = (left: number, right: number, to: number) => write(to, at(left), at(right));
    const right = createKeccak(1_024);
    assertKeccak(right);
    assert.throws(() => assertKeccak({ bytes, hash32, hash64 }), { code: 'INTERNAL' });
    for (const broken of [{ hash32: () => {} }, { hash64: () => {} }]) {
      assert.throws(() => assertKeccak({ ...right, ...broken }), { code: 'INTERNAL' });
    }
  });

  it('nor are the functions of a machine that runs them otherwise', () => {
    type Wasm = { readonly exports: object };
    // The compiler's libraries know it only together with a browser's DOM.
    const machine = Reflect.get(globalThis, 'WebAssembly') as { Instance: new (...args: unknown[]) => Wasm };
    const { Instance } = machine;
    for (const name of ['hash32', 'hash64']) {
      machine.Instance = class {
        readonly exports: object;
        constructor(...args: unknown[]) {
          this.exports = { ...new Instance(...args).exports, [name]: () => {} };
        }
      };
      try {
        assert.throws(() => createKeccak(1_024), { code: 'INTERNAL' }, name);
      } finally {
        machine.Instance = Instance;
      }
    }
    createKeccak(1_024);
  });

  it('node for node, a tree of any size is the one of the standard library, with the same proofs', () => {
    for (const count of [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100, 257]) {
      const hashes = alike(count);
      const tree = buildTree(hashes);
      const standard = standardTree(hashes);
      assert.deepEqual(
        Array.from({ length: 2 * count - 1 }, (_, node) => hashAt(tree.nodes, node)),
        standard.dump().tree,
        `${count} leaves`,
      );
      for (let leaf = 0; leaf < count; leaf += 1) assert.deepEqual(proofOf(tree, leaf), standard.getProof(leaf));
    }
  });

  it('every event of any day is proven, and nothing else is', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.uint8Array({ minLength: 32, maxLength: 32 }), {
          minLength: 1,
          maxLength: 40,
          selector: String,
        }),
        (list) => {
          const tree = buildTree(Buffer.concat(list));
          const root = hashAt(tree.nodes, 0);
          list.forEach((bytes, leaf) => {
            const proof = proofOf(tree, leaf);
            assert.equal(rootOfProof(toHash(bytes), proof), root);
            const other = Uint8Array.from(bytes, (byte, index) => (index === 5 ? byte ^ 1 : byte));
            assert.notEqual(rootOfProof(toHash(other), proof), root);
          });
        },
      ),
      { numRuns: 50 },
    );
  });

  it('leaves whose first bytes agree are still in order', () => {
    const twins = [11_652, 82_970].map((index) => createHash('sha256').update(`twin ${index}`).digest());
    const prefixes = twins.map((hash) => leafOf(toHash(hash)).slice(0, 10));
    assert.deepEqual(prefixes, ['0x868fd14a', '0x868fd14a']);
    const hashes = Buffer.concat([...twins, alike(5)]);
    assert.equal(hashAt(buildTree(hashes).nodes, 0), standardTree(hashes).root);
  });

  it('an inner node does not pass for an event: leaves are hashed twice', () => {
    const tree = buildTree(alike(4));
    const root = hashAt(tree.nodes, 0);
    const [inner, sibling] = [hashAt(tree.nodes, 1), hashAt(tree.nodes, 2)];
    assert.notEqual(rootOfProof(inner, [sibling]), root);
    assert.notEqual(leafOf(inner), inner);
  });

  it('a tree is built in another thread while the event loop turns, the same as here', async () => {
    const hashes = alike(30_000);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const tree = await createTreeBuilder().build(hashes);
    clearInterval(timer);
    assert.ok(turns > 5, `${turns} turns`);
    assert.equal(hashes.length, 30_000 * 32, 'the caller keeps its hashes');
    assert.deepEqual(tree, buildTree(hashes));
  });

  it('building stops when it is asked to, and a day without events is refused', async () => {
    const stop = new AbortController();
    const building = createTreeBuilder().build(alike(50_000), stop.signal);
    stop.abort(new Error('enough'));
    await assert.rejects(building, /enough/);
    await assert.rejects(createTreeBuilder().build(new Uint8Array(0)), /one or more/);
  });
});

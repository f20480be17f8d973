import { hash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { chainAfter, headOf } from '../../domain/audit-ledger/chain.ts';
import type { ChainHead, LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { headerOf, sha256 } from '../../domain/audit-ledger/hash.ts';
import type { EventStore } from '../../domain/audit-ledger/ports.ts';
import { verifyHistory } from '../../domain/audit-ledger/verify-history.ts';
import { median } from './parts/median.ts';

/**
 * Events verified a second, as the API and the worker verify a namespace (its chain streamed, held against checkpoints and
 * the ledger's own closes), against bare SHA-256 chaining of the same bytes: one one-shot digest an event, over the hash
 * before it, its header and its payload, which are prepared beforehand. The format of the chain has two digests an event,
 * so that a payload can stay at home: bare chaining in two is printed beside it. All is read from memory, in batches as
 * the database gives them, so that it is the verifier that is measured and no database. Payloads have 256 bytes, or as
 * many as an argument says.
 */
export const needsStack = false;

const EVENTS = 20_000;
const ROUNDS = 7;
/** Events that a cursor of the store has at once. */
const READ_AT_ONCE = 500;
const size = Number(process.argv[2] ?? 256);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const events = makeChain();
const bytes = events.map((event) => {
  const [header, payload] = [Buffer.from(headerOf(event, sha256(event.payload))), Buffer.from(event.payload)];
  // With room for the hash before it.
  return { header, payload, whole: Buffer.concat([Buffer.alloc(32), header, payload]) };
});

const figures = { bare: [] as number[], inTwo: [] as number[], ours: [] as number[] };
for (let round = -2; round < ROUNDS; round += 1) {
  const bare = await perSecond(async () => chainBytes());
  const inTwo = await perSecond(async () => chainInTwo());
  const ours = await perSecond(verify);
  if (round < 0) continue; // warm-up
  figures.bare.push(bare);
  figures.inTwo.push(inTwo);
  figures.ours.push(ours);
}
console.log('database: none');
console.log(`${size} bytes of payload an event`);
console.log(`bare SHA-256 chaining: ${Math.round(median(figures.bare))} events a second`);
console.log(`the same in two digests an event: ${Math.round(median(figures.inTwo))} events a second`);
console.log(`verified: ${Math.round(median(figures.ours))} events a second`);
console.log(`ledger-verify-of-two-digests: ${(median(figures.ours) / median(figures.inTwo)).toFixed(2)}`);
console.log(`ledger-verify: ${(median(figures.ours) / median(figures.bare)).toFixed(2)}`);

function makeChain(): LedgerEvent[] {
  const made: LedgerEvent[] = [];
  let head: ChainHead | null = null;
  for (let index = 0; index < EVENTS; index += 1) {
    const draft = {
      namespace: 'shop',
      orgSlug: 'acme',
      emitter: 'shop-prod',
      eventType: 'payment.created',
      entityId: `order-${index % 100}`,
      payload: JSON.stringify({ data: { text: 'x'.repeat(size - 40), index }, metadata: {} }),
      idempotency: null,
    };
    const named = { id: `evt_${String(index).padStart(20, '0')}`, draft };
    const [event] = chainAfter(head, [named], new Date(1_790_000_000_000 + index));
    if (event === undefined) throw new Error('nothing was chained');
    made.push(event);
    head = headOf(event);
  }
  return made;
}

function chainBytes(): void {
  let before: Buffer = Buffer.alloc(32);
  for (const { whole } of bytes) {
    before.copy(whole);
    before = hash('sha256', whole, 'buffer');
  }
}

function chainInTwo(): void {
  for (const { header, payload } of bytes) {
    hash('sha256', payload, 'buffer');
    hash('sha256', header, 'buffer');
  }
}

/** The chain as the store gives it: pages that are waited for. The ledger's own chain is empty. */
async function* pages(namespace: string): AsyncGenerator<readonly LedgerEvent[]> {
  for (let start = 0; namespace === 'shop' && start < EVENTS; start += READ_AT_ONCE) {
    await Promise.resolve();
    yield events.slice(start, start + READ_AT_ONCE);
  }
}

async function head(namespace: string): Promise<ChainHead | null> {
  const last = events.at(-1);
  return namespace === 'shop' && last !== undefined ? headOf(last) : null;
}

async function verify(): Promise<void> {
  const verdict = await verifyHistory(
    { kind: 'namespace', namespace: 'shop', expectedHead: null },
    {
      store: { head, pages } as unknown as EventStore,
      checkpoints: { newest: async () => [], stream: async function* () {} } as never,
      ledgerName: 'bench',
      keys: [],
    },
  );
  if (!verdict.valid || verdict.count !== EVENTS) throw new Error('the chain does not hold');
}

async function perSecond(work: () => Promise<void>): Promise<number> {
  // Each pays for its own garbage alone.
  collectGarbage();
  const startedAt = performance.now();
  await work();
  return EVENTS / ((performance.now() - startedAt) / 1000);
}

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isHeld } from '../../../domain/custom-domains/custom-domain.ts';
import type { AddDomain } from '../../../domain/custom-domains/messages.ts';
import { type OwnershipProof, ownershipProof } from '../../../domain/custom-domains/ownership-proof.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { createCustomDomainsParts, INGRESS } from '../../support/custom-domains-parts.ts';
import { DAY, nameActions } from '../../support/name-actions.ts';

const APEX = 'victim.com';
const NAMES = [APEX, 'www.victim.com', 'shop.victim.com', 'login.victim.com'];
const HERE = { type: 'A', content: INGRESS } as const;
const ELSEWHERE = { type: 'A', content: '198.51.100.1' } as const;
const MODES = ['direct', 'direct', 'cloudflare'] as const;
const MINUTES = [1, 1, 2, 5, 15, 40, 60, DAY, 10 * DAY, 31 * DAY, 95 * DAY];
const [WALKS, STEPS] = [60, 60];

/** Numbers from 0 to 1, the same for a seed each time. */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32;
  };
}

/**
 * `acme` owns the domain, adds each name before it sets a record or the name servers, and publishes proofs that it is asked for; it
 * leaves records behind. `globex` and `initech` add, ask for and remove whatever they can. DNS servers fail.
 * @returns what happened, if a name of acme was led to one of the others; null else
 */
async function walk(seed: number): Promise<readonly string[] | null> {
  const world = await createCustomDomainsParts();
  const { add, look, remove, reconcile, routes } = nameActions(world);
  const next = numbersOf(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T;
  const others = [
    world.ofBlog,
    { serviceId: await world.newService('third', 'initech'), service: 'third', org: 'initech' },
  ];
  const own = [{}, { serviceId: await world.newService('other', 'acme'), service: 'other' }];
  const publishesEarly = next() < 0.5;
  const published: OwnershipProof[] = [];
  const log: string[] = [];
  let minute = 0;
  let isDelegated = false;

  const holderOf = async (name: string) => {
    const record = await world.deps.domains.find(name);
    return isHeld(record) ? record.holder : null;
  };
  /** Where the zone is the platform's, its owner publishes nothing. */
  const showTexts = () => {
    for (const { name } of published) {
      const values = published.filter((one) => one.name === name).map(({ value }) => value);
      world.dns.setText(name, ...(isDelegated ? [] : values));
    }
  };
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<FairleadError | null> => {
    try {
      log.push(`${minute} ${what}: ${(await work()) ?? 'done'}`);
      return null;
    } catch (error) {
      if (!(error instanceof FairleadError) || (error.code === 'CONFLICT' && error.retryable)) throw error;
      log.push(`${minute} ${what}: ${error.code}`);
      return error;
    }
  };
  const addOwn = async (name: string): Promise<void> => {
    const request: AddDomain = world.request(name, { mode: pick(MODES), ...pick(own) });
    const again = () =>
      attempt(`acme adds ${name} ${request.mode}`, () => add({ ...request, id: `${request.id}${minute}` }, minute));
    const refused = await again();
    const holder = await holderOf(name);
    const isOwn = holder?.org === 'acme';
    const early = publishesEarly && request.mode === 'cloudflare' ? ownershipProof(request) : null;
    const asked = refused?.code === 'DOMAIN_TAKEN' ? ownershipProof(request) : isOwn ? (holder.proof ?? early) : null;
    if (asked !== null) published.push(asked);
    showTexts();
    if (refused?.code === 'DOMAIN_TAKEN') await again();
  };
  const setRecords = async (): Promise<void> => {
    for (const name of NAMES) {
      const holder = await holderOf(name);
      const isOwn = holder?.org === 'acme' && holder.mode === 'direct';
      if (isOwn && next() < 0.7) world.dns.lead(name, HERE);
      else if (next() < 0.2) world.dns.lead(name, ELSEWHERE);
    }
  };
  const delegate = async (): Promise<void> => {
    const holders = await Promise.all(NAMES.map(holderOf));
    const waits = holders.some((one) => one?.org === 'acme' && one.mode === 'cloudflare' && one.zone !== null);
    if (!isDelegated && !(waits && world.provider.hasZone(APEX))) return;
    isDelegated = !isDelegated;
    if (isDelegated) world.provider.activate(APEX);
    else world.provider.moveAway(APEX);
    showTexts();
    log.push(`${minute} the domain is delegated ${isDelegated ? 'here' : 'elsewhere'}`);
  };
  const removeOf = async (name: string, isOwn: boolean): Promise<void> => {
    const holder = await holderOf(name);
    if (holder === null || (holder.org === 'acme') !== isOwn) return;
    await attempt(`${holder.org} removes ${name}`, () => remove({ ...world.request(name), ...holder }, minute));
  };
  const STEP: readonly (readonly [number, (name: string) => Promise<unknown>])[] = [
    [
      25,
      (name) => {
        const request = world.request(name, { ...pick(others), mode: pick(MODES) });
        return attempt(`${request.org} adds ${name} ${request.mode}`, () => add(request, minute));
      },
    ],
    [20, addOwn],
    [8, setRecords],
    [7, delegate],
    [6, (name) => removeOf(name, true)],
    [6, (name) => removeOf(name, false)],
    [4, () => attempt('the daily round', () => reconcile(minute))],
    [
      4,
      async (name) => {
        if ((await holderOf(name)) !== null) await attempt(`${name} is verified`, () => look(name, minute, true));
      },
    ],
    [
      4,
      async (name) =>
        void (next() < 0.5 ? world.dns.fail(name, 'ETIMEOUT', { but: pick([0, 1]) }) : NAMES.map(world.dns.heal)),
    ],
  ];
  const all = STEP.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));

  for (const name of NAMES) world.dns.lead(name, ELSEWHERE);
  for (let step = 0; step < STEPS; step += 1) {
    minute += pick(MINUTES);
    await pick(all)(pick(NAMES));
    for (const name of next() < 0.8 ? NAMES : []) {
      if ((await holderOf(name)) !== null) await attempt(`${name} is looked at`, () => look(name, minute));
    }
    if ((await routes()).some((line) => / (blog|third)$/.test(line))) return log;
  }
  return null;
}

it('whatever others add, ask for and remove, no name is led to them whose owner adds it before anything leads here', async () => {
  for (let seed = 1; seed <= WALKS; seed += 1) assert.equal(await walk(seed), null, `walk ${seed}`);
});

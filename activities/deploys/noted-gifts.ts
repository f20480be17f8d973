import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { Environment } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';
import type { StepContext } from './step.ts';

export interface GiftHolder {
  readonly service: Pick<ServiceRecord, 'id' | 'name' | 'org'>;
  readonly environment: Environment;
}

/** What a deploy gives the client of a service, and what may be gone before it has come to its end. */
export interface Gifts<T> {
  readonly services: Pick<DeploysDeps['services'], 'findConfirmed'>;
  readonly notedWith: (service: ServiceRecord) => Readonly<Partial<Record<Environment, readonly T[]>>>;
  readonly note: (serviceId: string, environment: Environment, noted: readonly T[]) => Promise<unknown>;
  readonly isSame: (one: T, other: T) => boolean;
  /** Takes those back that are not to stay. Null without an identity provider: then nothing is settled. */
  readonly takeBack: ((holder: GiftHolder, given: readonly T[]) => Promise<void>) | null;
  /** What is said where the provider is away, such as `Scopes of services that were removed are taken back by the next deploy.` */
  readonly later: string;
}

/**
 * Notes what is about to be given, lets `work` give it, then takes back what is not to stay and notes none of all any more.
 * Should this attempt end in between, the next attempt or deploy finds the note.
 */
export async function whileGiving<T, R>(
  gifts: Gifts<T>,
  holder: GiftHolder,
  given: readonly T[],
  work: () => Promise<R>,
): Promise<R> {
  if (given.length > 0) await note(gifts, holder, (noted) => [...without(gifts, noted, given), ...given]);
  try {
    return await work();
  } finally {
    // Also after a failure: the provider may have carried out what it has not answered.
    await settle(gifts, holder, given);
  }
}

/** Settles what an attempt or deploy before this one left; while the provider is away, the next one does. */
export async function settleEarlier<T>(
  gifts: Gifts<T>,
  { build, warn }: Pick<StepContext, 'build' | 'warn'>,
  service: ServiceRecord,
): Promise<void> {
  const { environment } = build;
  try {
    await settle(gifts, { service, environment }, gifts.notedWith(service)[environment] ?? []);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.system !== 'identity-provider') throw error;
    warn(`${error.message} ${gifts.later}`);
  }
}

async function settle<T>(gifts: Gifts<T>, holder: GiftHolder, given: readonly T[]): Promise<void> {
  if (given.length === 0 || gifts.takeBack === null) return;
  await gifts.takeBack(holder, given);
  await note(gifts, holder, (noted) => without(gifts, noted, given));
}

async function note<T>(
  { services, notedWith, note: write }: Gifts<T>,
  { service: { id }, environment }: GiftHolder,
  change: (noted: readonly T[]) => readonly T[],
): Promise<void> {
  const service = await services.findConfirmed(id);
  await write(id, environment, change((service === null ? undefined : notedWith(service)[environment]) ?? []));
}

function without<T>({ isSame }: Gifts<T>, noted: readonly T[], given: readonly T[]): readonly T[] {
  return noted.filter((one) => !given.some((other) => isSame(one, other)));
}

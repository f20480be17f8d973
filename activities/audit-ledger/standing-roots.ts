import type { AnchorChain } from '../../domain/audit-ledger/anchoring-ports.ts';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import type { Hash } from '../../domain/audit-ledger/event.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';

/** That a chain holds a root for a day, in force. */
export interface StandingRoot {
  readonly chainId: number;
  readonly root: Hash;
}

/**
 * What the chains hold for a day, whatever the database says. Those that do not answer are left out.
 * @param everyChain that none has a root counts only when each of them says so: the one that is away may have it
 * @throws CHAIN_UNREACHABLE (retryable) when there are chains, and none answers, or not every one where each has to
 */
export async function standingRoots(
  { chains }: Pick<AnchoringDeps, 'chains'>,
  day: Day,
  { everyChain = false }: { readonly everyChain?: boolean } = {},
): Promise<readonly StandingRoot[]> {
  const standing: StandingRoot[] = [];
  let answers = 0;
  for (const chain of chains) {
    const root = await standingRoot(chain, day);
    if (root === undefined) continue;
    answers += 1;
    if (root !== null) standing.push({ chainId: chain.chainId, root });
  }
  const isKnown = standing.length > 0 || answers === chains.length || (answers > 0 && !everyChain);
  if (isKnown) return standing;
  const message = `${answers === 0 ? 'No chain says' : 'Not every chain says'} whether a root of ${day} stands there; trying again`;
  throw new FairleadError('CHAIN_UNREACHABLE', message, { retryable: true });
}

/** The root in force; null without one, undefined when the chain does not answer. */
export async function standingRoot(chain: Pick<AnchorChain, 'rootOf'>, day: Day): Promise<Hash | null | undefined> {
  try {
    return await chain.rootOf(day);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'CHAIN_UNREACHABLE') return undefined;
    throw error;
  }
}

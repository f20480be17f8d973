import { passGate } from '../../../domain/deploy-gate/pass-gate.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { findService } from '../service-lookup.ts';
import { requireFacts, type StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'services' | 'wallet'> & { readonly settings: Pick<DeploysDeps['settings'], 'gate'> };

/** A wallet that restarts is back by then; with one that is not, the deploy goes on. */
const ATTEMPTS = 3;

/** Refuses a deploy that the gate does not let through (spec 2, "Deploy gate"). Reads only. */
export async function applyDeployGate(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { catalog } = requireFacts(context.facts, ['catalog']);
  const { name: service, org } = await findService(deps, context.build);
  const readBalance = (owner: string) => balanceOf(deps, context, owner);
  await passGate({ service, org, catalog, settings: deps.settings.gate, readBalance }, context.onLine);
  return {};
}

async function balanceOf({ wallet }: Deps, { attempt, signal }: StepContext, owner: string): Promise<number> {
  if (wallet === null) {
    throw new FairleadError('UNAVAILABLE', 'This worker knows no wallet (WALLET_URL).', { system: 'wallet' });
  }
  try {
    return await wallet.readBalance(owner, signal);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.system !== 'wallet' || attempt < ATTEMPTS) throw error;
    const { code, message, cause } = error;
    throw new FairleadError(code, message, { system: 'wallet', cause, retryable: false });
  }
}

import { POD_TIERS } from '../../catalog/pod-tiers.ts';
import { STORAGE_TIERS_GAS } from '../../catalog/storage-tiers.ts';
import { FairleadError } from '../../errors.ts';
import { insufficientGas } from '../../wallet/movement.ts';
import { type GateCheck, type GateRequest, ownerOf } from '../gate.ts';

const HOURS_OF_MONTH = 24 * 30;
const MONTHS = 3;

/** The owner can pay three months of the service (spec 2, "Limits", "Gas reserve"). Nothing is taken. */
export const gasReserve: GateCheck = async (request) => {
  const owner = ownerOf(request);
  const required = reserveOf(request.catalog);
  const balance = await request.readBalance(owner);
  if (balance >= required) return `The wallet of ${owner} holds ${balance} tokens, and the reserve is ${required}`;
  const { code, message, details } = insufficientGas(`Deploy gate: insufficient gas reserve: the wallet of ${owner}`, {
    balance,
    required,
  });
  throw new FairleadError(code, `${message} ${remedyOf(owner, required - balance, request.catalog)}`, { details });
};

/** Who can do what about it: the operator, and where another tier would help, whoever writes the catalog. */
function remedyOf(owner: string, missing: number, { podTier, storage }: GateRequest['catalog']): string {
  const credit = `A platform admin adds them: \`fairlead wallet credit ${missing} --org ${owner} --reason <text>\``;
  if (podTier === 'nano' && storage.length === 0) return `${credit}.`;
  return `${credit}; or declare a smaller ${podTier === 'nano' ? 'spec.storage' : 'platform.io/pod-tier'}.`;
}

/** In whole tokens: the hosting of three months of 30 days, and three months of each storage that is declared. */
export function reserveOf({ podTier, storage }: Pick<GateRequest['catalog'], 'podTier' | 'storage'>): number {
  const hosting = POD_TIERS[podTier].gasPerHour * HOURS_OF_MONTH * MONTHS;
  return storage.reduce((sum, { tier }) => sum + STORAGE_TIERS_GAS[tier].gasPerMonth * MONTHS, hosting);
}

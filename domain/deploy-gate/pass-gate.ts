import { gasReserve } from './checks/gas-reserve.ts';
import { orgAllowlist } from './checks/org-allowlist.ts';
import { ownerGuard } from './checks/owner-guard.ts';
import type { GateCheck, GateRequest, GateSkip } from './gate.ts';
import { namedService } from './skips/named-service.ts';
import { platformService } from './skips/platform-service.ts';

/** The gate does not apply where one of these says so. */
const SKIPS: readonly GateSkip[] = [platformService, namedService];

/**
 * In the order of the contract. What needs the wallet comes last: a wallet that does not answer opens the gate, and by then
 * everything else was checked.
 */
const CHECKS: readonly GateCheck[] = [orgAllowlist, ownerGuard, gasReserve];

/**
 * Lets a deploy through, or refuses it.
 * @param onLine told what each check found, or why there is none
 * @throws ORG_NOT_ALLOWED, SERVICE_OWNER_MISMATCH, INSUFFICIENT_GAS; ORG_NOT_FOUND for an owner without an org; UNAVAILABLE
 *   of the system `wallet`, with which a deploy goes on
 */
export async function passGate(request: GateRequest, onLine: (line: string) => void): Promise<void> {
  for (const skip of SKIPS) {
    const why = skip(request);
    if (why === null) continue;
    onLine(`The gate does not apply: ${why}`);
    return;
  }
  for (const check of CHECKS) onLine(await check(request));
}

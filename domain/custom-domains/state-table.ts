import type { Fact } from './address-look.ts';
import type { DomainState } from './custom-domain.ts';
import type { DomainMode } from './mode.ts';

/** What a look found out about a name, as far as its mode asks for it. */
export interface DomainFacts {
  /** The proof of ownership; `holds` where none is asked for, or it was shown before. */
  readonly proof: Fact;
  /** The zone at the DNS provider is delegated to it. */
  readonly zone: Fact;
  /** The records of the name lead to the target, and nothing leads elsewhere. */
  readonly dns: Fact;
  /** The custom hostname at the edge is active, and its certificate is issued. */
  readonly hostname: Fact;
  /** The certificate was seen served. */
  readonly certificate: Fact;
}

export type DomainCondition = keyof DomainFacts;

interface Gate {
  readonly condition: DomainCondition;
  /** The state of a name that has not got past it. */
  readonly state: DomainState;
  /** Past it, the name is known to be the service's. */
  readonly owns?: true;
}

/** The one state table: what each mode asks for, in this order (spec 2, "Custom domains", "External-domain state"). */
export const MODE_GATES: Readonly<Record<DomainMode, readonly Gate[]>> = {
  cloudflare: [
    { condition: 'proof', state: 'pending-proof' },
    { condition: 'zone', state: 'pending-delegation' },
    { condition: 'dns', state: 'pending-dns', owns: true },
  ],
  external: [
    { condition: 'proof', state: 'pending-proof' },
    { condition: 'dns', state: 'pending-cname', owns: true },
    { condition: 'hostname', state: 'pending-validation' },
  ],
  direct: [
    { condition: 'proof', state: 'pending-proof' },
    { condition: 'dns', state: 'pending-dns', owns: true },
    { condition: 'certificate', state: 'pending-certificate' },
  ],
};

/** States that a mode knows, in the order in which a name goes through them. */
export function statesOf(mode: DomainMode): readonly DomainState[] {
  return [...MODE_GATES[mode].map(({ state }) => state), 'active', 'failed'];
}

export interface Standing {
  readonly state: DomainState;
  /** What it waits for; null for one that is active. */
  readonly condition: DomainCondition | null;
  /** True once it is known to be the service's. */
  readonly owns: boolean;
  /** False where nobody answered about what it waits for. */
  readonly isKnown: boolean;
}

/** Where a name stands by what was found out. @param wasActive what held before holds until it is known to be gone */
export function standingOf(mode: DomainMode, facts: DomainFacts, wasActive: boolean): Standing {
  const gates = MODE_GATES[mode];
  const passes = (gate: Gate): boolean => {
    const fact = facts[gate.condition];
    return fact === 'holds' || (fact === 'unknown' && wasActive);
  };
  const at = gates.findIndex((gate) => !passes(gate));
  const gate = gates[at];
  if (gate === undefined) return { state: 'active', condition: null, owns: true, isKnown: !hasUnknown(gates, facts) };
  const owns = gates.slice(0, at).some((passed) => passed.owns === true);
  return { state: gate.state, condition: gate.condition, owns, isKnown: facts[gate.condition] !== 'unknown' };
}

function hasUnknown(gates: readonly Gate[], facts: DomainFacts): boolean {
  return gates.some(({ condition }) => facts[condition] === 'unknown');
}

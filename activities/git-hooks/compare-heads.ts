import type { GitConnection } from '../../domain/git-hooks/connection.ts';
import type { GitDelivery } from '../../domain/git-hooks/delivery.ts';
import type { HeadKey, KnownHead } from '../../domain/git-hooks/ports.ts';
import { matchesRef, namesOneRef, parseRef, type Ref } from '../../domain/git-hooks/rule.ts';

/** A branch or tag whose head is new. */
export interface Moved {
  readonly ref: string;
  /** Services and environments that it is new for. */
  readonly targets: number;
  /** A rule names it alone, or a delivery does. */
  readonly isNamed: boolean;
}

export interface Compared {
  /** Named ones first, then by name. */
  readonly moved: readonly Moved[];
  /** What was there before the first look. */
  readonly noted: readonly { readonly key: HeadKey; readonly seen: string }[];
}

/** Compares branches and tags with the heads that are known of them. */
export function compareHeads(
  { id: connectionId, services, baselineAt }: GitConnection,
  known: {
    /** Heads by full name. */
    readonly refs: ReadonlyMap<string, string>;
    readonly heads: readonly (HeadKey & KnownHead)[];
    /** Deliveries that asked: what they name deploys although nothing was known of it. */
    readonly asking: readonly Pick<GitDelivery, 'kind' | 'ref'>[];
  },
): Compared {
  const seenBefore = new Map(known.heads.map((head) => [keyText(head), head.seen]));
  const delivered = new Set(known.asking.flatMap(({ ref }) => ref ?? []));
  const isAsked = known.asking.some(({ kind }) => kind !== 'poll');
  const moved = new Map<string, Moved>();
  const noted: { key: HeadKey; seen: string }[] = [];
  for (const [ref, seen] of known.refs) {
    const parsed = parseRef(ref);
    if (parsed === null) continue;
    for (const target of targetsOf(services, parsed)) {
      const key = { connectionId, serviceId: target.serviceId, environment: target.environment, ref };
      const before = seenBefore.get(keyText(key));
      if (before === seen) continue;
      const isNamed = delivered.has(ref) || target.isNamed;
      if (before === undefined && baselineAt === null && !(isAsked && isNamed)) noted.push({ key, seen });
      else {
        const { targets = 0, isNamed: wasNamed = false } = moved.get(ref) ?? {};
        moved.set(ref, { ref, targets: targets + 1, isNamed: wasNamed || isNamed });
      }
    }
  }
  const inOrder = [...moved.values()].toSorted(
    (a, b) => Number(b.isNamed) - Number(a.isNamed) || (a.ref < b.ref ? -1 : 1),
  );
  return { moved: inOrder, noted: noted.filter(({ key }) => !moved.has(key.ref)) };
}

/** Services and environments of a branch or tag, and whether a rule names it alone. */
function targetsOf(services: GitConnection['services'], ref: Ref) {
  return services.flatMap(({ serviceId, rules }) =>
    rules
      .filter((rule) => matchesRef(rule, ref))
      .map((rule) => ({ serviceId, environment: rule.environment, isNamed: namesOneRef(rule) })),
  );
}

function keyText({ serviceId, environment, ref }: HeadKey): string {
  return `${serviceId}/${environment}/${ref}`;
}
